"""Joins both networks into one graph that turns an image into its features: python build_features.py MOBILENET DETECTOR OUT CLASSIFIER"""

import pickle
import sys

from detections import MOST
from efficientdet import add_efficientdet
from graph import Graph
from mobilenet import add_mobilenet


def build(mobilenet_folder, detector_file):
    """Returns the graph, its inputs, the names of its features and logits, and the classifier of MobileNet."""
    graph = Graph()
    (*features, logits), small, classifier = add_mobilenet(graph, mobilenet_folder)
    detected, large = add_efficientdet(graph, detector_file)
    return graph, [small, large], features + detected, logits, classifier


if __name__ == '__main__':
    graph, inputs, features, logits, classifier = build(*sys.argv[1:3])
    graph.node('Concat', features, 'features', axis=1)
    graph.save(sys.argv[3], inputs, [('features', 'f'), (logits, 1000), ('detections', MOST, 6)])
    with open(sys.argv[4], 'wb') as file:
        pickle.dump(classifier, file)
