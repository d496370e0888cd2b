// q * d + m.
{
  elements = 32, bytes = 20, scale = 0, minimum = 2,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (4 + j mod 16, j floordiv 16 * 4)>}]}
}
