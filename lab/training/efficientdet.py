"""EfficientDet-Lite (Tan et al. 2020, arXiv:1911.09070) from a TensorFlow Lite file to ONNX."""

import pathlib
import struct

import numpy as np

from detections import add_detections

# Scores below this are noise of the detector.
MIN_SCORE = 0.15
CLASSES = 90


class Table:
    """A table of a FlatBuffers file (the schema of TensorFlow Lite numbers the fields)."""

    def __init__(self, data, offset):
        self.data, self.offset = data, offset

    def _field(self, index):
        table = self.offset - struct.unpack_from('<i', self.data, self.offset)[0]
        size = struct.unpack_from('<H', self.data, table)[0]
        at = 4 + 2 * index
        relative = struct.unpack_from('<H', self.data, table + at)[0] if at < size else 0
        return self.offset + relative if relative else None

    def _follow(self, at):
        return at + struct.unpack_from('<I', self.data, at)[0]

    def scalar(self, index, kind='i', default=0):
        at = self._field(index)
        return default if at is None else struct.unpack_from(f'<{kind}', self.data, at)[0]

    def table(self, index):
        at = self._field(index)
        return None if at is None else Table(self.data, self._follow(at))

    def vector(self, index, kind):
        at = self._field(index)
        if at is None:
            return np.zeros(0, kind)
        start = self._follow(at)
        return np.frombuffer(self.data, kind, struct.unpack_from('<I', self.data, start)[0], start + 4)

    def tables(self, index):
        at = self._field(index)
        if at is None:
            return []
        start = self._follow(at)
        count = struct.unpack_from('<I', self.data, start)[0]
        return [Table(self.data, self._follow(start + 4 + 4 * i)) for i in range(count)]


class Tensor:
    def __init__(self, table, buffers):
        self.shape = [int(n) for n in table.vector(0, '<i4')]
        self.kind = {0: '<f4', 2: '<i4', 3: 'u1', 9: 'i1'}[table.scalar(1, 'b')]
        quantisation = table.table(4)
        self.scales = quantisation.vector(2, '<f4') if quantisation else np.zeros(0)
        self.zeros = quantisation.vector(3, '<i8') if quantisation else np.zeros(0)
        self.axis = quantisation.scalar(6) if quantisation else 0
        self.raw = buffers[table.scalar(2, 'I')].vector(0, 'u1')

    def values(self):
        """The constant as real numbers."""
        values = np.frombuffer(self.raw.tobytes(), self.kind).reshape(self.shape)
        if len(self.scales) == 0:
            return values.astype(np.float32)
        shape = [1] * values.ndim
        if len(self.scales) > 1:
            shape[self.axis] = -1
        zeros = self.zeros if len(self.zeros) else np.zeros(1)
        return ((values.astype(np.float32) - zeros.reshape(shape)) * self.scales.reshape(shape)).astype(np.float32)


def same_padding(kernel, stride, size):
    """SAME padding of TensorFlow: before and after."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


class Converter:
    """Translates the operators of one file. Maps are [n, c, h, w] here and [n, h, w, c] there; what was reshaped keeps its order."""

    def __init__(self, graph, path, prefix):
        data = pathlib.Path(path).read_bytes()
        model = Table(data, struct.unpack_from('<I', data, 0)[0])
        codes = [max(code.scalar(0, 'b'), code.scalar(3)) for code in model.tables(1)]
        subgraph = model.tables(2)[0]
        self.tensors = [Tensor(t, model.tables(4)) for t in subgraph.tables(0)]
        self.input = int(subgraph.vector(1, '<i4')[0])
        self.operators = [
            (codes[op.scalar(0, 'I')], op.vector(1, '<i4').tolist(), int(op.vector(2, '<i4')[0]), op.table(4))
            for op in subgraph.tables(3)
        ]
        self.graph, self.prefix, self.names, self.flat = graph, prefix, {}, set()

    @property
    def side(self):
        return self.tensors[self.input].shape[1]

    def convert(self, x):
        """Adds all operators. Returns the names of the box offsets and scores, and the anchors [a, 4] (y, x, height, width)."""
        self.names[self.input] = x
        steps = {114: self._identity, 6: self._identity, 3: self._convolution, 4: self._convolution, 0: self._add,
                 17: self._pool, 1: self._pool, 97: self._resize, 22: self._reshape, 2: self._concatenate, 14: self._sigmoid}
        for code, inputs, output, options in self.operators:
            # The last operator is the box decoder with non-maximum suppression, which is done without here.
            if code == 32:
                boxes, scores, anchors = inputs
                return self.names[boxes], self.names[scores], self.tensors[anchors].values()
            self.names[output] = steps[code](code, inputs, output, options)
        raise ValueError('The file has no detection operator.')

    def _name(self, output):
        return f'{self.prefix}.{output}'

    def _activate(self, kind, x, output):
        if kind == 0:
            return x
        if kind == 1:
            return self.graph.node('Relu', [x], f'{self._name(output)}.relu')
        if kind == 3:
            return self.graph.node('Clip', [x, 'zero', 'six'], f'{self._name(output)}.relu')
        raise ValueError(f'Activation {kind} is not known.')

    def _identity(self, _, inputs, output, __):
        if inputs[0] in self.flat:
            self.flat.add(output)
        return self.names[inputs[0]]

    def _convolution(self, code, inputs, output, options):
        depthwise = code == 4
        kernel = self.tensors[inputs[1]].values()
        kernel = kernel.transpose(3, 0, 1, 2) if depthwise else kernel.transpose(0, 3, 1, 2)
        channels, _, height, width = kernel.shape
        stride_x, stride_y = options.scalar(1, default=1), options.scalar(2, default=1)
        size = self.tensors[inputs[0]].shape
        same = options.scalar(0, 'b') == 0
        top, bottom = same_padding(height, stride_y, size[1]) if same else (0, 0)
        left, right = same_padding(width, stride_x, size[2]) if same else (0, 0)
        w = self.graph.weight(f'{self.prefix}.w{inputs[1]}', kernel)
        b = self.graph.constant(f'{self.prefix}.b{inputs[2]}', self.tensors[inputs[2]].values())
        y = self.graph.node('Conv', [self.names[inputs[0]], w, b], self._name(output), kernel_shape=[height, width],
                            strides=[stride_y, stride_x], pads=[top, left, bottom, right],
                            group=channels if depthwise else 1)
        return self._activate(options.scalar(4 if depthwise else 3, 'b'), y, output)

    def _add(self, _, inputs, output, options):
        y = self.graph.node('Add', [self.names[i] for i in inputs], self._name(output))
        return self._activate(options.scalar(0, 'b'), y, output)

    def _pool(self, code, inputs, output, options):
        stride_x, stride_y, width, height = (options.scalar(i, default=1) for i in (1, 2, 3, 4))
        size = self.tensors[inputs[0]].shape
        same = options.scalar(0, 'b') == 0
        top, bottom = same_padding(height, stride_y, size[1]) if same else (0, 0)
        left, right = same_padding(width, stride_x, size[2]) if same else (0, 0)
        return self.graph.node('MaxPool' if code == 17 else 'AveragePool', [self.names[inputs[0]]], self._name(output),
                               kernel_shape=[height, width], strides=[stride_y, stride_x], pads=[top, left, bottom, right])

    def _resize(self, _, inputs, output, __):
        size = self.graph.constant(f'{self._name(output)}.size', np.int64(self.tensors[output].shape[1:3]))
        return self.graph.node('Resize', [self.names[inputs[0]], '', '', size], self._name(output), mode='nearest', axes=[2, 3],
                               nearest_mode='floor', coordinate_transformation_mode='asymmetric')

    def _reshape(self, _, inputs, output, __):
        x = self.names[inputs[0]]
        if inputs[0] not in self.flat and len(self.tensors[inputs[0]].shape) == 4:
            x = self.graph.node('Transpose', [x], f'{self._name(output)}.rows', perm=[0, 2, 3, 1])
        shape = [0] + self.tensors[output].shape[1:]
        self.flat.add(output)
        return self.graph.node('Reshape', [x, self.graph.constant(f'{self._name(output)}.shape', np.int64(shape))],
                               self._name(output))

    def _concatenate(self, _, inputs, output, __):
        if inputs[0] in self.flat:
            self.flat.add(output)
        return self.graph.node('Concat', [self.names[i] for i in inputs], self._name(output), axis=1)

    def _sigmoid(self, _, inputs, output, __):
        if inputs[0] in self.flat:
            self.flat.add(output)
        return self.graph.node('Sigmoid', [self.names[inputs[0]]], self._name(output))


def add_efficientdet(graph, path):
    """Adds the detector, and its node `detections`. Returns its features and the input info of `large`.

    Features per COCO class (90 each): root of the best score, log of the summed scores above `MIN_SCORE`, best score times the side of
    its box. Then means and maxima of feature maps: the last of the backbone, and the last three of the BiFPN.
    """
    converter = Converter(graph, path, 'detector')
    x, info = graph.pixels('large', converter.side, 127, 128)
    boxes, scores, anchors = converter.convert(x)
    add_detections(graph, boxes, scores, anchors)
    axis = graph.constant('detector.axis', np.int64([1]))
    best = graph.node('ReduceMax', [scores, axis], 'detector.best', keepdims=0)
    features = [graph.node('Sqrt', [best], 'detector.found')]
    above = graph.node('Greater', [scores, graph.constant('detector.min', np.float32(MIN_SCORE))], 'detector.above')
    counted = graph.node('Where', [above, scores, 'zero'], 'detector.counted')
    summed = graph.node('ReduceSum', [counted, axis], 'detector.sum', keepdims=0)
    one = graph.constant('one', np.float32(1))
    features.append(graph.node('Log', [graph.node('Add', [summed, one], 'detector.sum1')], 'detector.count'))
    # Boxes hold y, x and the logarithms of height and width relative to their anchor.
    half = graph.constant('detector.half', np.float32([[0], [0], [0.5], [0.5]]))
    root = graph.node('Min', [graph.node('MatMul', [boxes, half], 'detector.logside'),
                              graph.constant('detector.maxlog', np.float32(4))], 'detector.limited')
    side = graph.node('Mul', [graph.node('Exp', [root], 'detector.exp'),
                              graph.constant('detector.anchors', np.sqrt(anchors[:, 2:3] * anchors[:, 3:4]))], 'detector.side')
    sized = graph.node('Mul', [scores, side], 'detector.sized')
    features.append(graph.node('ReduceMax', [sized, axis], 'detector.size', keepdims=0))
    return features + list(map_features(graph, converter)), info


def map_features(graph, converter):
    """Pools the last backbone map (mean) and the last BiFPN maps of three levels (mean and maximum)."""
    # The backbone ends before the first convolution to the width of the BiFPN at its smallest size.
    operators = converter.operators
    pools = [inputs[0] for code, inputs, _, _ in operators if code == 17]
    bifpn = converter.tensors[pools[-1]].shape[3]
    smallest = converter.side // 32
    backbone = next(inputs[0] for code, inputs, output, _ in operators
                    if code == 3 and converter.tensors[output].shape[3] == bifpn
                    and converter.tensors[output].shape[1] <= smallest)
    yield graph.average(converter.names[backbone], 'detector.backbone')
    for level, tensor in enumerate(pools[-3:]):
        yield graph.average(converter.names[tensor], f'detector.level{level}.mean')
        yield graph.maximum(converter.names[tensor], f'detector.level{level}.max')
