// d * (S - 32) * codebook[q]; scales of six bits, low four and high two apart.
{
  elements = 256, bytes = 136, scale = 0, group = 32,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (8 + j floordiv 32 * 16 + j mod 16,
                                                         j mod 32 floordiv 16 * 4)>}],
            codebook = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (4 + j floordiv 2, j mod 2 * 4)>},
                      {bits = 2, at = affine_map<(j) -> (2 + j floordiv 4, j mod 4 * 2)>}],
            offset = 32}
}
