// d * (S - 32) * (q - 4): two bits and a third one elsewhere; scales of six bits, low four and high
// two apart.
{
  elements = 256, bytes = 110, scale = 108, group = 16,
  quants = {planes = [{bits = 2, at = affine_map<(j) -> (32 + j floordiv 128 * 32 + j mod 32,
                                                         j mod 128 floordiv 32 * 2)>},
                      {bits = 1, at = affine_map<(j) -> (j mod 32, j floordiv 32)>}],
            offset = 4},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (96 + j mod 8, j floordiv 8 * 4)>},
                      {bits = 2, at = affine_map<(j) -> (104 + j mod 4, j floordiv 4 * 2)>}],
            offset = 32}
}
