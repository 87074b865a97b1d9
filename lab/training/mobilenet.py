"""MobileNet v1 (Howard et al. 2017, arXiv:1704.04861) from a TensorFlow.js layers model to ONNX."""

import json
import pathlib

import numpy as np

SIDE = 224


def read_weights(folder):
    """The tensors of a layers model by their names, float32."""
    manifest = json.loads((folder / 'model.json').read_text())['weightsManifest']
    tensors = {}
    for group in manifest:
        data = b''.join((folder / path).read_bytes() for path in group['paths'])
        offset = 0
        for entry in group['weights']:
            if entry['dtype'] != 'float32' or 'quantization' in entry:
                raise ValueError(f"{entry['name']} is not in 32 bits.")
            count = int(np.prod(entry['shape']))
            values = np.frombuffer(data, '<f4', count, offset)
            tensors[entry['name']] = values.reshape(entry['shape'])
            offset += 4 * count
    return tensors


def add_mobilenet(graph, folder):
    """Adds the network. Returns the image features, the input info of `small`, and the classifier (kernel [1000, 1024], bias [1000]).

    Features: the pooled last map (1,024), and the means of three earlier maps (512, 256, 128). The last one of the list are the logits
    of the 1,000 classes.
    """
    folder = pathlib.Path(folder)
    weights = read_weights(folder)
    x, info = graph.pixels('small', SIDE, 127.5, 127.5)
    graph.constant('zero', np.float32(0))
    graph.constant('six', np.float32(6))

    def block(x, name, depthwise, stride):
        kernel = weights[f"{name}/{'depthwise_kernel' if depthwise else 'kernel'}"]
        # Height, width, in, out; of a depthwise convolution each input has one output.
        kernel = kernel.transpose(2, 3, 0, 1) if depthwise else kernel.transpose(3, 2, 0, 1)
        statistics = [weights[f'{name}_bn/{key}'] for key in ('gamma', 'beta', 'moving_mean', 'moving_variance')]
        gamma, beta, mean, variance = statistics
        # Batch normalisation is folded into the convolution.
        factor = gamma / np.sqrt(variance + 1e-3)
        channels, size = kernel.shape[0], kernel.shape[2]
        w = graph.weight(f'{name}.kernel', kernel * factor[:, None, None, None])
        b = graph.constant(f'{name}.bias', (beta - mean * factor).astype(np.float32))
        # SAME padding of TensorFlow, for an even side: at stride 2 only below and right.
        total = size - 1 if stride == 1 else size - stride
        pads = [total // 2, total // 2, total - total // 2, total - total // 2]
        y = graph.node('Conv', [x, w, b], f'{name}.conv', kernel_shape=[size, size], strides=[stride, stride],
                       pads=pads if size > 1 else [0] * 4, group=channels if depthwise else 1)
        return graph.node('Clip', [y, 'zero', 'six'], f'{name}.relu')

    maps = {}
    x = block(x, 'conv1', False, 2)
    for i in range(1, 14):
        x = block(x, f'conv_dw_{i}', True, 2 if i in (2, 4, 6, 12) else 1)
        x = maps[i] = block(x, f'conv_pw_{i}', False, 1)
    features = [graph.average(maps[i], f'mobilenet.{i}') for i in (13, 11, 5, 2)]
    kernel = weights['conv_preds/kernel'].reshape(1024, 1000)
    bias = weights['conv_preds/bias']
    w = graph.weight('classes.kernel', kernel.T)
    logits = graph.node('Gemm', [features[0], w, graph.constant('classes.bias', bias)], 'classes', transB=1)
    return features + [logits], info, (kernel.T, bias)
