// d * S * (q - 32): four low and two high bits; scales of eight bits with a sign.
{
  elements = 256, bytes = 210, scale = 208, group = 16,
  quants = {planes = [{bits = 4, at = affine_map<(j) -> (j floordiv 128 * 64 + j mod 64,
                                                         j mod 128 floordiv 64 * 4)>},
                      {bits = 2, at = affine_map<(j) -> (128 + j floordiv 128 * 32 + j mod 32,
                                                         j mod 128 floordiv 32 * 2)>}],
            offset = 32},
  scales = {planes = [{bits = 8, at = affine_map<(j) -> (192 + j, 0)>}], signed}
}
