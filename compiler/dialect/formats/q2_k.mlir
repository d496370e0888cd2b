// d * S * q - dmin * M: two bits; scale and minimum of 16 share a byte.
{
  elements = 256, bytes = 84, scale = 80, minimum = 82, subtract_minimum, group = 16,
  quants = {planes = [{bits = 2, at = affine_map<(j) -> (16 + j floordiv 128 * 32 + j mod 32,
                                                         j mod 128 floordiv 32 * 2)>}]},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (j, 0)>}]},
  minimums = {planes = [{bits = 4, at = affine_map<(j) -> (j, 4)>}]}
}
