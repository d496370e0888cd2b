// q * d + m, with five bits as in q5_0.
{
  elements = 32, bytes = 24, scale = 0, minimum = 2,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (8 + j mod 16, j floordiv 16 * 4)>},
                      {bits = 1, at = affine_map<(j) -> (4 + j floordiv 8, j mod 8)>}]}
}
