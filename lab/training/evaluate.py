"""Names and kinds of things: python evaluate.py SOURCES WORK FEATURES HEAD...; images that no training has seen.

FEATURES (see `extract-features.ts`) are of a photograph of each ImageNet class in the order of the classes.
"""

import json
import pathlib
import sys

import numpy as np

from data import CLASSES, Data, read_features, softmax
from embed_texts import SentenceEncoder
from joint import Joint

KINDS = ['bird', 'fish', 'snake', 'musical instrument', 'fruit', 'insect', 'motor vehicle', 'furniture', 'dog', 'cat', 'monkey', 'boat',
         'building', 'clothing', 'weapon', 'food', 'turtle', 'spider', 'aircraft', 'tool', 'flower']


def report_names(images, embed, data, kinds):
    """Prints recall of the class names at 1 and 10, and precision at 10 of kinds of classes."""
    similarity = embed(data.texts['class']) @ images.T
    rank = (similarity > np.diag(similarity)[:, None]).sum(1)
    found = embed(KINDS) @ images.T
    precision = {}
    for kind, row in zip(KINDS, found):
        right = np.array([kind in names or kind == name for names, name in zip(kinds, data.texts['class'])])
        if right.any():
            precision[kind] = float(right[np.argsort(-row)[:10]].sum() / min(10, right.sum()))
    print('names', [round(float((rank < k).mean()), 3) for k in (1, 10)], 'kinds', round(float(np.mean(list(precision.values()))), 3),
          {k: round(v, 1) for k, v in precision.items()}, flush=True)


def main():
    sources = json.loads(pathlib.Path(sys.argv[1]).read_text())
    work, features = pathlib.Path(sys.argv[2]), sys.argv[3]
    data = Data(work)
    facts = json.loads((work / 'texts.json').read_text())
    joint = Joint(work, sys.argv[4:], data)
    raw, logits = (rows[:CLASSES] for rows in read_features(features))
    images = joint.images(data.projection(raw), softmax(logits))
    encoder = SentenceEncoder(sources['minilm'])
    encode = lambda texts: joint.sentences(data.standardise(encoder.encode([encoder.pieces(text) for text in texts])))
    report_names(images, encode, data, facts['kinds'])


if __name__ == '__main__':
    main()
