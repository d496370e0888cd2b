// float16.
{element = f16}
