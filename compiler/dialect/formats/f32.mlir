// float32.
{element = f32}
