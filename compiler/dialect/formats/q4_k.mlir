// d * S * q - dmin * M. Scales and minimums of six bits: those of groups 0 to 3 are whole, those of
// 4 to 7 have their high two bits in the top of the first ones.
{
  elements = 256, bytes = 144, scale = 0, minimum = 2, subtract_minimum, group = 32,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (16 + j floordiv 64 * 32 + j mod 32,
                                                         j mod 64 floordiv 32 * 4)>}]},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (4 + j + j floordiv 4 * 4, 0)>},
                      {bits = 2, at = affine_map<(j) -> (4 + j mod 4, 4 + j floordiv 4 * 2)>}]},
  minimums = {planes = [{bits = 4, at = affine_map<(j) -> (8 + j, j floordiv 4 * 4)>},
                        {bits = 2, at = affine_map<(j) -> (8 + j mod 4, 4 + j floordiv 4 * 2)>}]}
}
