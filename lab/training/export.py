"""Writes what the product ships: python export.py SOURCES WORK OUT HEAD...

`vision.onnx`: both networks and all heads as one graph, which also returns what they recognise. `text.onnx`: MiniLM and all heads. `tokenizer.json`: MiniLM's.
"""

import json
import pathlib
import shutil
import sys

import numpy as np
import onnx

from build_features import build
from data import CLASSES, MAX_DEVIATIONS, Data
from detections import MOST
from joint import Joint
from text_graph import add_text_heads


def unit(graph, x, name):
    squares = graph.node('ReduceL2', [x, graph.constant('last axis', np.int64([1]))], f'{name}.length', keepdims=1)
    return graph.node('Div', [x, squares], name)


def add_heads(graph, features, logits, projection, joint):
    """Adds the heads: standardised features to unit vectors of 512 dimensions, named `embedding`."""
    x = graph.node('Concat', features, 'features', axis=1)
    x = graph.node('Sub', [x, graph.constant('features.mean', projection.mean.astype(np.float32))], 'features.centred')
    x = graph.node('Div', [x, graph.constant('features.deviation', projection.deviation.astype(np.float32))], 'features.scaled')
    limits = [graph.constant(f'features.{n}', np.float32(v)) for n, v in (('least', -MAX_DEVIATIONS), ('most', MAX_DEVIATIONS))]
    x = graph.node('Clip', [x, *limits], 'features.limited')
    probabilities = graph.node('Softmax', [logits], 'probabilities', axis=1)
    vectors = []
    for i, (p, names) in enumerate(joint.heads):
        weight = graph.weight(f'head{i}.weight', projection.matrix @ p['image'], axis=1)
        y = graph.node('MatMul', [x, weight], f'head{i}.product')
        y = unit(graph, graph.node('Add', [y, graph.constant(f'head{i}.bias', p['image_bias'])], f'head{i}'), f'head{i}.unit')
        if names is not None:
            table = graph.weight(f'head{i}.names', (p['class_weight'] * names).astype(np.float32), axis=1)
            named = graph.node('MatMul', [probabilities, table], f'head{i}.classes')
            y = unit(graph, graph.node('Add', [y, named], f'head{i}.sum'), f'head{i}.named')
        vectors.append(y)
    joined = graph.node('Concat', vectors, 'heads', axis=1)
    turned = graph.node('MatMul', [joined, graph.weight('axes', joint.axes, axis=1)], 'turned')
    centre = graph.constant('centre', joint.centre.astype(np.float32))
    return unit(graph, graph.node('Sub', [unit(graph, turned, 'turned.unit'), centre], 'centred'), 'embedding')


def main():
    sources = json.loads(pathlib.Path(sys.argv[1]).read_text())
    work, out = map(pathlib.Path, sys.argv[2:4])
    out.mkdir(parents=True, exist_ok=True)
    data = Data(work)
    joint = Joint(work, sys.argv[4:], data)
    joint.report(data)
    graph, inputs, features, logits, _ = build(sources['mobilenet'], sources['efficientdet'])
    add_heads(graph, features, logits, data.projection, joint)
    graph.save(out / 'vision.onnx', inputs, [('embedding', joint.axes.shape[1]), ('detections', MOST, 6), ('probabilities', CLASSES)])
    minilm = pathlib.Path(sources['minilm'])
    onnx.save(add_text_heads(minilm / 'onnx/model_quantized.onnx', data, joint), out / 'text.onnx')
    shutil.copyfile(minilm / 'tokenizer.json', out / 'tokenizer.json')


if __name__ == '__main__':
    main()
