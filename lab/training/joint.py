"""Several heads as one encoder: their vectors side by side, then on the main axes of both kinds of vectors, images around their mean."""

import pickle

import numpy as np

from data import DEV, FIRST_TRAIN, TEST, recall
from train_heads import class_names, embed_images, embed_sentences

DIMENSIONS = 512
# The classes count more than in training: names and kinds are found better, captions hardly less. Chosen on dev and every other class.
CLASS_FACTOR = 1.5


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


class Joint:
    """Images and sentences as unit vectors of 512 dimensions."""

    def __init__(self, work, heads, data):
        self.heads = []
        for name in heads:
            with open(work / f'{name}.head.pkl', 'rb') as file:
                head = pickle.load(file)
            p = head['parameters']
            p['class_weight'] = p['class_weight'] * CLASS_FACTOR
            self.heads.append((p, np.array(class_names(p, data)) if head['classes'] else None))
        # Axes on which both kinds of vectors of the training data vary most: with them the dot products stay nearly as they were.
        train = slice(FIRST_TRAIN, None)
        images = self._images(data.views[0][train], data.probabilities[0][train])
        captions = self._sentences(data.vectors['caption'][data.caption_rows[train].ravel()[::5]])
        moments = sum(x.T @ x / len(x) for x in (images, captions))
        values, vectors = np.linalg.eigh(moments)
        self.axes = vectors[:, np.argsort(-values)[:DIMENSIONS]].astype(np.float32)
        # What all images have in common is taken off: some images would otherwise be near every text.
        self.centre = unit(images @ self.axes).mean(0)

    def _images(self, features, probabilities):
        return np.concatenate([np.array(embed_images(p, features, probabilities, names)) for p, names in self.heads], 1)

    def _sentences(self, vectors):
        return np.concatenate([np.array(embed_sentences(p, vectors)) for p, _ in self.heads], 1)

    def images(self, features, probabilities):
        return unit(unit(self._images(features, probabilities) @ self.axes) - self.centre)

    def sentences(self, vectors):
        return unit(self._sentences(vectors) @ self.axes)

    def report(self, data):
        """Prints the recall of the heads together: side by side, and as they are shipped."""
        for name, rows in (('dev', DEV), ('test', TEST)):
            captions = data.vectors['caption'][data.caption_rows[rows].ravel()]
            pair = data.views[0][rows], data.probabilities[0][rows]
            print(name, 'side by side', recall(self._images(*pair), self._sentences(captions)),
                  'shipped', recall(self.images(*pair), self.sentences(captions)), flush=True)
