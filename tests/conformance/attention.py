"""Attention over dense keys and values."""
import numpy as np

from conformance import FLOATS, Case, integers, run

TYPES = FLOATS
LOWEST = {"f64": -1.7976931348623157e308, "f32": -3.4028234663852886e38, "f16": -65504.0,
          "bf16": -3.3895313892515355e38}


def weights_of(scores, hidden, hidden_is_nan):
    scores = np.where(hidden, -np.inf, scores)
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    power = np.exp(scores - np.where(np.isinf(top) & (top < 0), 0, top))
    total = power.sum(axis=-1, keepdims=True)
    return power / np.where(total == 0, np.nan if hidden_is_nan else 1, total)


def hidden_keys(t, s, causal, offset, align_end, window):
    position = np.arange(t)[:, None] + offset + (s - t if align_end else 0)
    key = np.arange(s)[None, :]
    hidden = np.zeros((t, s), bool)
    if causal:
        hidden |= key > position
    if window:
        hidden |= key <= position - window
    return hidden


def scored(scores, mask, scale, softcap, hidden_is_nan=False, **positions):
    scores = scores * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    hidden = hidden_keys(*scores.shape[-2:], **positions)
    if mask is not None and mask.dtype == np.bool_:
        hidden = hidden | ~mask
    elif mask is not None:
        scores = scores + mask
    return weights_of(scores, np.broadcast_to(hidden, scores.shape), hidden_is_nan)


def attention(q, k, v, mask=None, mask_type=None, scale=None, softcap=0.0, causal=False, offset=0,
              align_end=False, window=0, hidden_is_nan=False, name="", **options):
    """Dimensions of query, key and value."""
    def reference(query, key, value, *masks):
        repeats = query.shape[1] // key.shape[1]
        key, value = np.repeat(key, repeats, axis=1), np.repeat(value, repeats, axis=1)
        weights = scored(query @ np.swapaxes(key, -1, -2), masks[0] if masks else None,
                         scale or query.shape[-1] ** -0.5, softcap, causal=causal, offset=offset,
                         align_end=align_end, window=window, hidden_is_nan=hidden_is_nan)
        return weights @ value
    parts = [f"scale = {scale:e} : f64"] if scale else []
    parts += [f"softcap = {softcap:e} : f64"] * bool(softcap)
    parts += ["causal"] * causal + [f"causal_offset = {offset} : i64"] * bool(offset) + ["align_end"] * align_end
    parts += [f"window = {window} : i64"] * bool(window) + ["hidden_is_nan"] * hidden_is_nan
    operands = [q, k, v] + ([(mask_type, mask) if mask_type else mask] if mask else [])
    attributes = f"{{{', '.join(parts)}}}" if parts else ""
    return Case("attention", operands, [q[:3] + [v[3]]], attributes, reference=reference,
                scale=lambda q, k, v, *m: 1 + np.abs(v).max(initial=0),
                **{"epsilons": 20, "dtypes": TYPES, "sizes": SIZES,
                   "name": f"attention {q} {k} {attributes} {mask or ''} {mask_type or ''} {name}", **options})


SIZES = ({"t": 1, "s": 1}, {"t": 3, "s": 0}, {"t": 0, "s": 3}, {"t": 2, "s": 5}, {"t": 17, "s": 17}, {"t": 1, "s": 33},
         {"t": 31, "s": 16}, {"t": 5, "s": 7})
SELF = (0, 1, 2, 3, 17, 33, 5)
Q, K, V = [2, 4, "t", 8], [2, 4, "s", 8], [2, 4, "s", 6]
GROUPED = ([1, 6, "t", 16], [1, 2, "s", 16], [1, 2, "s", 16])


def sparse(random, shape):
    """True at a few places; the first row has none."""
    mask = random.random(shape) < 0.4
    if shape[-2] > 0:
        mask[..., 0, :] = False
    return mask


def lowest(dtype):
    return [None, None, None, lambda random, shape: np.full(shape, LOWEST[dtype])]


def negative_infinity(random, shape):
    return np.where(random.random(shape) < 0.5, -np.inf, random.standard_normal(shape))


def weights(dims, mask=None, hidden_is_nan=False, **options):
    def reference(scores, *masks):
        return scored(scores, masks[0] if masks else None, 0.5, 0.0, causal=True, offset=1, align_end=False, window=3,
                      hidden_is_nan=hidden_is_nan)
    operands = [dims] + ([mask] if mask else [])
    return Case("attention_weights", operands, [dims],
                "{scale = 0.5 : f64, causal, causal_offset = 1 : i64, window = 3 : i64"
                f"{', hidden_is_nan' * hidden_is_nan}}}", reference=reference,
                **{"epsilons": 20, "dtypes": TYPES, "sizes": SIZES, "name": f"attention_weights {dims} {mask or ''}",
                   **options})


CASES = [
    attention(Q, K, V), attention(Q, K, V, scale=0.3), attention(Q, K, V, softcap=2.0),
    attention([1, 2, "n", 8], [1, 2, "n", 8], [1, 2, "n", 8], causal=True, sizes=SELF),
    attention(["n", 2, 5, 8], ["n", 2, 7, 8], ["n", 2, 7, 8], causal=True, sizes=SELF),
    attention(Q, K, V, causal=True), attention(Q, K, V, causal=True, offset=2), attention(Q, K, V, causal=True, align_end=True),
    attention(Q, K, V, causal=True, window=3), attention(Q, K, V, causal=True, align_end=True, window=4), attention(Q, K, V, window=2),
    attention(*GROUPED), attention(*GROUPED, causal=True, align_end=True, softcap=5.0, window=9),
    attention([1, 6, "t", 16], [1, 1, "s", 16], [1, 1, "s", 16]),
    *[attention(Q, K, V, mask) for mask in (["t", "s"], [2, 4, "t", "s"], [1, 1, "t", "s"], [2, 1, 1, "s"], [4, "t", 1])],
    *[attention(Q, K, V, mask, "i1", data=[None, None, None, sparse]) for mask in (["t", "s"], [2, 1, "t", "s"])],
    attention(*GROUPED, [1, 6, "t", "s"], "i1", data=[None, None, None, sparse], causal=True),
    attention(Q, K, V, ["t", "s"], "i1", data=[None, None, None, lambda r, s: np.zeros(s)], name="all hidden"),
    attention(Q, K, V, ["t", "s"], "i1", data=[None, None, None, sparse], hidden_is_nan=True),
    attention(Q, K, V, causal=True, offset=-2, hidden_is_nan=True),
    # Numbers that are the most negative there are hide nothing from each other.
    *[attention(Q, K, V, ["t", "s"], data=lowest(t), dtypes=(t,), name="of the lowest numbers") for t in TYPES],
    attention(Q, K, V, ["t", "s"], data=[None, None, None, negative_infinity], name="with -inf"),
    attention([1, 2, "t", 8], [1, 2, "s", 8], [1, 2, "s", 8], data=[integers(-9, 9)] * 3, name="large scores",
              epsilons=60),
    weights([2, 3, "t", "s"]), weights([1, 3, "t", "s"], ["t", "s"]),
    weights([1, 3, "t", "s"], ("i1", [1, 3, 1, "s"])),
    weights([1, 3, "t", "s"], hidden_is_nan=True, name="attention_weights hidden_is_nan"),
]

if __name__ == "__main__":
    run(__file__, CASES)
