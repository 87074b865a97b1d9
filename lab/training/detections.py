"""What the detector found in an image, as a second output of the graph beside its features."""

import numpy as np

# Anchors of the best scores; the product keeps fewer, when those that say the same are put together.
MOST = 64


def add_detections(graph, boxes, scores, anchors):
    """Adds the node `detections`, float32 [n, 64, 6]: top, left, bottom, right in 0..1 of the image, score, class in 0..89; best first.

    `boxes` [n, a, 4] are y, x and the logarithms of height and width relative to `anchors` [a, 4]; `scores` [n, a, 90]. Boxes of one
    thing overlap: they are not suppressed here.
    """
    def constant(name, values):
        return graph.constant(f'detections.{name}', values)

    places, sizes = (constant(f'anchor.{name}', anchors[:, columns].astype(np.float32))
                     for name, columns in (('places', slice(0, 2)), ('sizes', slice(2, 4))))
    offsets, logs = (graph.node('Slice', [boxes, constant(f'from{a}', np.int64([a])), constant(f'to{a}', np.int64([a + 2])),
                                          constant('last axis', np.int64([2]))], f'detections.part{a}') for a in (0, 2))
    centres = graph.node('Add', [graph.node('Mul', [offsets, sizes], 'detections.moved'), places], 'detections.centres')
    sides = graph.node('Mul', [graph.node('Exp', [logs], 'detections.exp'), sizes], 'detections.sides')
    halves = graph.node('Mul', [sides, constant('half', np.float32(0.5))], 'detections.halves')
    corners = [graph.node(op, [centres, halves], f'detections.{op}') for op in ('Sub', 'Add')]
    best = graph.node('ReduceMax', [scores, constant('last axis', np.int64([2]))], 'detections.best', keepdims=1)
    kinds = graph.node('Cast', [graph.node('ArgMax', [scores], 'detections.argmax', axis=2, keepdims=1)], 'detections.kinds', to=1)
    rows = graph.node('Concat', [*corners, best, kinds], 'detections.rows', axis=2)
    ordered = graph.outputs('TopK', [best, constant('most', np.int64([MOST]))], ['detections.values', 'detections.order'], axis=1)
    return graph.node('GatherND', [rows, ordered[1]], 'detections', batch_dims=1)
