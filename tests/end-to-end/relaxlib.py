"""The runtime and the compiler from Python, for tests: ctypes over their C interfaces, NumPy in and out.

    artifact = relaxlib.compile_model("model.gguf", activations="float32")   # bytes
    module = relaxlib.Module(artifact)
    logits, *pages = module["step"](tokens, positions, ..., *pages)

Libraries are found in the folder RELAX_LIBRARY_DIR, or in build/release/lib.
"""
import ctypes as c
import json
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = pathlib.Path(os.environ.get("RELAX_LIBRARY_DIR", ROOT / "build/release/lib"))
MAX_RANK = 8

# DLPack's type codes: signed, unsigned, float, bfloat, bool. NumPy has no bfloat16: its bit patterns are
# uint16 here, which is no element type of Relax.
DTYPES = {np.dtype("int8"): (0, 8), np.dtype("int16"): (0, 16), np.dtype("int32"): (0, 32),
          np.dtype("int64"): (0, 64), np.dtype("uint8"): (1, 8), np.dtype("float16"): (2, 16),
          np.dtype("float32"): (2, 32), np.dtype("float64"): (2, 64), np.dtype("bool"): (6, 8),
          np.dtype("uint16"): (4, 16)}
FROM_DTYPE = {code: dtype for dtype, code in DTYPES.items()}


class DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class LoadOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("weights_path", c.c_char_p), ("threads", c.c_uint32),
                ("reserved", c.c_uint32), ("memory_limit", c.c_uint64)]


class CompileCallbacks(c.Structure):
    ARTIFACT = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
    _fields_ = [("user", c.c_void_p), ("progress", c.c_void_p), ("message", c.c_void_p),
                ("cancelled", c.c_void_p), ("artifact", ARTIFACT)]


class RelaxError(Exception):
    """A failed call: `code` is the relax_status."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def _load(name):
    return c.CDLL(str(LIBRARIES / name))


def _runtime():
    if not hasattr(_runtime, "library"):
        library = _load("librelax.so")
        library.relax_last_error.restype = c.c_char_p
        library.relax_function_input_name.restype = c.c_char_p
        library.relax_function_output_name.restype = c.c_char_p
        for name in ("relax_function_input_count", "relax_function_output_count"):
            getattr(library, name).restype = c.c_size_t
        library.relax_function_output_alias.restype = c.c_int64
        _runtime.library = library
    return _runtime.library


def _check(status):
    if status:
        raise RelaxError(status, _runtime().relax_last_error().decode())


def compile_model(path, **options):
    """The artifact's bytes for a .gguf or .mlir file; options as in runtime/compiler_api.h."""
    library = _load("librelax_compiler.so")
    result = []

    def receive(_, data, size):
        result.append(c.string_at(data, size))
        return 0

    callbacks = CompileCallbacks(artifact=CompileCallbacks.ARTIFACT(receive))
    error = c.c_void_p()
    text = json.dumps({"input": str(path), **options}).encode()
    status = library.relax_compile(text, c.byref(callbacks), c.byref(error))
    if status:
        message = c.string_at(error.value).decode()
        library.relax_compiler_free(error)
        raise RelaxError(status, message)
    return result[0]


def _describe(array, owner):
    """A DLTensor for `array`; what it points to is kept in `owner`."""
    code, bits = DTYPES[array.dtype]
    shape = (c.c_int64 * MAX_RANK)(*array.shape)
    owner += [array, shape]
    return DLTensor(array.ctypes.data if array.size else None, 1, 0, array.ndim, code, bits, 1,
                    shape, None, 0)


def _pointers(tensors):
    return (c.POINTER(DLTensor) * len(tensors))(*[c.pointer(t) for t in tensors])


class Function:
    def __init__(self, module, handle):
        self.module, self.handle = module, handle
        library = _runtime()
        self.inputs = [library.relax_function_input_name(handle, i).decode()
                       for i in range(library.relax_function_input_count(handle))]
        self.outputs = [library.relax_function_output_name(handle, i).decode()
                        for i in range(library.relax_function_output_count(handle))]
        self.aliases = [library.relax_function_output_alias(handle, i)
                        for i in range(len(self.outputs))]

    def __call__(self, *arrays):
        """The results as new arrays; a result in a donated argument's storage is that argument."""
        library, owner = _runtime(), []
        arrays = [np.ascontiguousarray(a) for a in arrays]
        inputs = [_describe(a, owner) for a in arrays]
        shapes = [(c.c_int64 * MAX_RANK)() for _ in self.outputs]
        outputs = [DLTensor(None, 1, 0, 0, 0, 0, 1, shape, None, 0) for shape in shapes]
        _check(library.relax_function_output_shapes(
            self.handle, _pointers(inputs), c.c_size_t(len(inputs)), _pointers(outputs),
            c.c_size_t(len(outputs))))
        results = []
        for output, alias in zip(outputs, self.aliases):
            if alias >= 0:
                results.append(arrays[alias])
            else:
                dtype = FROM_DTYPE[(output.code, output.bits)]
                results.append(np.empty(list(output.shape[:output.ndim]), dtype))
            output.data = results[-1].ctypes.data if results[-1].size else None
        _check(library.relax_function_call(
            self.handle, _pointers(inputs), c.c_size_t(len(inputs)), _pointers(outputs),
            c.c_size_t(len(outputs))))
        return results


class Module:
    """A loaded artifact: module["name"] is a function."""

    def __init__(self, artifact, threads=1, weights=None, memory_limit=0):
        options = LoadOptions(c.sizeof(LoadOptions), str(weights).encode() if weights else None,
                              threads, 0, memory_limit)
        self.handle = c.c_void_p()
        _check(_runtime().relax_module_load_bytes(artifact, c.c_size_t(len(artifact)),
                                                  c.byref(options), c.byref(self.handle)))

    def __del__(self):
        if getattr(self, "handle", None):
            _runtime().relax_module_free(self.handle)

    def __getitem__(self, name):
        handle = c.c_void_p()
        _check(_runtime().relax_module_function(self.handle, name.encode(), c.byref(handle)))
        return Function(self, handle)
