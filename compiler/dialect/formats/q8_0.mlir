// q * d, q with a sign.
{
  elements = 32, bytes = 34, scale = 0,
  quants = {planes = [{bits = 8, at = affine_map<(j) -> (2 + j, 0)>}], signed}
}
