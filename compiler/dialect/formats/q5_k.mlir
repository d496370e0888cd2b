// As q4_k, with a fifth bit: bit g of byte i is that of element 32 g + i.
{
  elements = 256, bytes = 176, scale = 0, minimum = 2, subtract_minimum, group = 32,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (48 + j floordiv 64 * 32 + j mod 32,
                                                         j mod 64 floordiv 32 * 4)>},
                      {bits = 1, at = affine_map<(j) -> (16 + j mod 32, j floordiv 32)>}]},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (4 + j + j floordiv 4 * 4, 0)>},
                      {bits = 2, at = affine_map<(j) -> (4 + j mod 4, 4 + j floordiv 4 * 2)>}]},
  minimums = {planes = [{bits = 4, at = affine_map<(j) -> (8 + j, j floordiv 4 * 4)>},
                        {bits = 2, at = affine_map<(j) -> (8 + j mod 4, 4 + j floordiv 4 * 2)>}]}
}
