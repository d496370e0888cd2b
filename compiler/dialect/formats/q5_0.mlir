// (q - 16) * d; bit j of a 32-bit word is the fifth bit of element j.
{
  elements = 32, bytes = 22, scale = 0,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (6 + j mod 16, j floordiv 16 * 4)>},
                      {bits = 1, at = affine_map<(j) -> (2 + j floordiv 8, j mod 8)>}],
            offset = 16}
}
