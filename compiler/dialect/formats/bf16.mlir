// bfloat16: the upper half of a float32.
{element = bf16}
