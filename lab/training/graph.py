"""A small writer of ONNX graphs, with 8-bit weights."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
# Smaller tensors stay in 32 bits: they hold little, and biases need the precision.
MIN_QUANTISED = 4096


class Graph:
    """Collects nodes and weights. Tensors are known by their names."""

    def __init__(self):
        self.nodes = []
        self.weights = []
        self.names = set()

    def node(self, op, inputs, name, **attributes):
        """Adds a node with one output, which has the node's name. Returns the name."""
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def outputs(self, op, inputs, names, **attributes):
        """Adds a node with several outputs. Returns their names."""
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attributes))
        return names

    def constant(self, name, values):
        """Adds a tensor as it is, once. Returns its name."""
        if name not in self.names:
            self.names.add(name)
            self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, name, values, axis=0):
        """Adds a weight tensor in 8 bits with a scale per index of `axis`. The runtime folds Cast and Mul when it loads the graph.

        Unlike DequantizeLinear, which the runtime keeps as a node of its own and computes again for each image.
        """
        if values.size < MIN_QUANTISED:
            return self.constant(name, values.astype(np.float32))
        if name in self.names:
            return name
        self.names.add(name)
        other_axes = tuple(i for i in range(values.ndim) if i != axis)
        scale = np.maximum(np.abs(values).max(axis=other_axes, keepdims=True), 1e-9) / 127
        rounded = np.round(values / scale).astype(np.int8)
        self.weights.append(numpy_helper.from_array(rounded, f'{name}.int8'))
        self.weights.append(numpy_helper.from_array(scale.astype(np.float32), f'{name}.scale'))
        self.node('Cast', [f'{name}.int8'], f'{name}.cast', to=TensorProto.FLOAT)
        return self.node('Mul', [f'{name}.cast', f'{name}.scale'], name)

    def average(self, x, name):
        """Mean over the places of a feature map: [n, c, h, w] to [n, c]."""
        return self.node('Flatten', [self.node('GlobalAveragePool', [x], f'{name}.pool')], name, axis=1)

    def maximum(self, x, name):
        """Maximum over the places of a feature map: [n, c, h, w] to [n, c]."""
        return self.node('Flatten', [self.node('GlobalMaxPool', [x], f'{name}.pool')], name, axis=1)

    def pixels(self, name, side, mean, scale):
        """Adds an input of images, uint8 [n, side, side, 3], and returns (x - mean) / scale as [n, 3, side, side]."""
        x = self.node('Cast', [name], f'{name}.float', to=TensorProto.FLOAT)
        x = self.node('Transpose', [x], f'{name}.planes', perm=[0, 3, 1, 2])
        x = self.node('Sub', [x, self.constant(f'{name}.mean', np.float32(mean))], f'{name}.centred')
        x = self.node('Div', [x, self.constant(f'{name}.scale', np.float32(scale))], f'{name}.pixels')
        return x, helper.make_tensor_value_info(name, TensorProto.UINT8, ['n', side, side, 3])

    def save(self, path, inputs, outputs):
        """Writes the graph. `outputs`: name and shape of each for one image, float32 [n, ...shape]."""
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ['n', *shape]) for name, *shape in outputs]
        graph = helper.make_graph(self.nodes, 'vision', inputs, infos, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', OPSET)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)
