// (q - 8) * d; low nibbles are elements 0 to 15, high ones 16 to 31.
{
  elements = 32, bytes = 18, scale = 0,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (2 + j mod 16, j floordiv 16 * 4)>}],
            offset = 8}
}
