// d * codebook[q].
{
  elements = 32, bytes = 18, scale = 0,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (2 + j mod 16, j floordiv 16 * 4)>}],
            codebook = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]}
}
