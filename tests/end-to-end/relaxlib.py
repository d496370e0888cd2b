"""The runtime and the compiler from Python, for tests: ctypes over their C interfaces, NumPy in and out.

    artifact = relaxlib.compile_model("model.gguf", activations="float32")   # bytes
    module = relaxlib.Module(artifact)
    logits, *pages = module["step"](tokens, positions, ..., *pages)

Functions of any signature are called with values: arrays, Shape([2, 3]), tuples of values, other
functions, and any other Python object, which is passed through:

    relaxlib.register_function("host.log", lambda x: print(x))
    rows, shape = module["main"].invoke(x, relaxlib.Shape([4, 4]), (x, y), module["helper"])

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
        library.relax_value_free.restype = None
        library.relax_value_field_count.restype = c.c_size_t
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


class Shape(tuple):
    """A shape as a value."""

    def __new__(cls, dims=()):
        return super().__new__(cls, (int(d) for d in dims))

    def __repr__(self):
        return f"Shape({list(self)})"


class FunctionValue:
    """A function that a call returned. It keeps its module."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        _runtime().relax_value_free(self.handle)

    def invoke(self, *values, results=1):
        return _invoke(_runtime().relax_value_invoke, self.handle, values, results)


_NOTHING, _TENSOR, _SHAPE, _TUPLE, _FUNCTION, _OBJECT = range(6)
_objects = {}  # Python objects that the runtime has, by their keys.
_DELETER = c.CFUNCTYPE(None, c.c_void_p)
_HOST_FUNCTION = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(c.c_void_p), c.c_size_t,
                             c.POINTER(c.c_void_p), c.c_size_t)
_callbacks = []  # Registered for good.


@_DELETER
def _drop_object(key):
    _objects.pop(key, None)


def _to_value(value):
    """A new handle of a relax_value."""
    library, handle, owner = _runtime(), c.c_void_p(), []
    if isinstance(value, Shape):
        dims = (c.c_int64 * len(value))(*value)
        _check(library.relax_value_shape(dims, c.c_size_t(len(value)), c.byref(handle)))
    elif isinstance(value, (tuple, list)):
        fields = [_to_value(field) for field in value]
        array = (c.c_void_p * len(fields))(*fields)
        try:
            _check(library.relax_value_tuple(array, c.c_size_t(len(fields)), c.byref(handle)))
        finally:
            for field in fields:
                library.relax_value_free(field)
    elif isinstance(value, (np.ndarray, np.generic, int, float, bool)):
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        _check(library.relax_value_tensor(c.byref(_describe(array, owner)), c.byref(handle)))
    elif isinstance(value, Function):
        _check(library.relax_value_function(value.handle, c.byref(handle)))
    elif isinstance(value, FunctionValue):
        _check(library.relax_value_share(value.handle, c.byref(handle)))
    else:
        key = max(_objects, default=0) + 1
        _objects[key] = value
        _check(library.relax_value_object(c.c_void_p(key), _drop_object, c.byref(handle)))
    return handle


def _from_value(handle):
    """What a handle stands for; arrays are copies. The handle is the caller's still."""
    library = _runtime()
    kind = library.relax_value_get_kind(handle)
    if kind == _TENSOR:
        tensor = DLTensor()
        _check(library.relax_value_get_tensor(handle, c.byref(tensor)))
        array = np.empty([tensor.shape[i] for i in range(tensor.ndim)],
                         FROM_DTYPE[(tensor.code, tensor.bits)])
        if array.size:
            c.memmove(array.ctypes.data, tensor.data, array.nbytes)
        return array
    if kind == _SHAPE:
        dims, rank = c.POINTER(c.c_int64)(), c.c_size_t()
        _check(library.relax_value_get_shape(handle, c.byref(dims), c.byref(rank)))
        return Shape(dims[i] for i in range(rank.value))
    if kind == _TUPLE:
        fields = []
        for i in range(library.relax_value_field_count(handle)):
            field = c.c_void_p()
            _check(library.relax_value_get_field(handle, c.c_size_t(i), c.byref(field)))
            fields.append(_from_value(field))
            library.relax_value_free(field)
        return tuple(fields)
    shared = c.c_void_p()
    if kind == _FUNCTION:
        _check(library.relax_value_share(handle, c.byref(shared)))
        return FunctionValue(shared)
    assert kind == _OBJECT, kind
    _check(library.relax_value_get_object(handle, c.byref(shared)))
    return _objects[shared.value]


def _invoke(call, handle, values, num_results):
    library, handles = _runtime(), []
    results = (c.c_void_p * num_results)()
    try:
        handles += [_to_value(value) for value in values]
        _check(call(handle, (c.c_void_p * len(handles))(*handles), c.c_size_t(len(handles)),
                    results, c.c_size_t(num_results)))
    finally:
        for each in handles:
            library.relax_value_free(each)
    try:
        return [_from_value(c.c_void_p(result)) for result in results]
    finally:
        for result in results:
            library.relax_value_free(c.c_void_p(result))


def register_function(name, function, pure=False):
    """Makes a Python function one that modules which are loaded from now on may call by name. It
    returns one value, or a list of several, or None for no results."""
    library = _runtime()

    def callback(_, arguments, num_arguments, results, num_results):
        try:
            made = function(*[_from_value(c.c_void_p(arguments[i])) for i in range(num_arguments)])
            made = [] if made is None else made if isinstance(made, list) else [made]
            if len(made) != num_results:
                raise ValueError(f"returned {len(made)} results, expected {num_results}")
            for i, value in enumerate(made):
                results[i] = _to_value(value).value
            return 0
        except Exception as error:  # Nothing may be raised through C.
            library.relax_set_last_error(f"{type(error).__name__}: {error}".encode())
            return 8

    _callbacks.append(_HOST_FUNCTION(callback))
    _check(library.relax_register_function(name.encode(), _callbacks[-1], None,
                                           c.c_uint32(1 if pure else 0)))


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
        """The results as new arrays; a result in a donated argument's storage is that argument. A
        function whose results' sizes are known only after a call is invoked."""
        try:
            return self._call(*arrays)
        except RelaxError as error:
            if error.code != 4 or "use invoke" not in str(error):
                raise
            return self.invoke(*arrays)

    def invoke(self, *values):
        """The results of a call with values of any kind, as a list. Arrays are copied in and out."""
        return _invoke(_runtime().relax_function_invoke, self.handle, values, len(self.outputs))

    def _call(self, *arrays):
        library, owner = _runtime(), []
        arrays = [np.asarray(a, order="C") for a in arrays]
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

    def memory(self):
        """Bytes in use now, and the most so far."""
        numbers = c.c_uint64(), c.c_uint64()
        _check(_runtime().relax_module_memory(self.handle, *(c.byref(n) for n in numbers)))
        return tuple(n.value for n in numbers)

    def __getitem__(self, name):
        handle = c.c_void_p()
        _check(_runtime().relax_module_function(self.handle, name.encode(), c.byref(handle)))
        return Function(self, handle)
