"""Short queries out of captions, and which images they describe."""

import re

import numpy as np
from scipy.sparse import csr_matrix

# Words that join others and describe nothing by themselves. Captions are cut at them.
FUNCTION_WORDS = set('''a an the this that these those his her its their some another other one of in on at to by with from for into onto over
under near next through across along around behind between beside against above below down up out off inside outside towards toward past and
or but while as is are was were be being been has have having had who which there it he she they them him while very'''.split())
MAX_PHRASES_PER_CAPTION, MAX_PARTS = 3, 3


def words_of(text):
    return re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower())


def stem(word):
    """Without the endings of plural and third person: dogs, dog; babies, baby."""
    if len(word) > 4 and word.endswith('ies'):
        return f'{word[:-3]}y'
    if len(word) > 4 and re.search(r'(?:s|x|ch|sh)es$', word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith('s') and not word.endswith('ss') else word


def content_of(text):
    """The stems of a text's words that describe something."""
    return {stem(word) for word in words_of(text) if word not in FUNCTION_WORDS}


def phrases_of(caption, rng):
    """Some random passages of a caption that begin and end with a word that describes something: "brown dog", "dog on the beach"."""
    words = words_of(caption)
    content = [word not in FUNCTION_WORDS for word in words]
    starts = [i for i, c in enumerate(content) if c and (i == 0 or not content[i - 1])]
    ends = [i + 1 for i, c in enumerate(content) if c and (i == len(words) - 1 or not content[i + 1])]
    phrases = []
    for _ in range(MAX_PHRASES_PER_CAPTION if starts else 0):
        first = rng.integers(len(starts))
        last = min(first + rng.integers(MAX_PARTS), len(starts) - 1)
        start, end = starts[first], ends[last]
        # Of "small brown dog" sometimes "brown dog" or "dog".
        if first == last and end - start > 1 and rng.random() < 0.5:
            start = rng.integers(start, end)
        phrases.append(' '.join(words[start:end]))
    return phrases


class Phrases:
    """Phrases, and the words of each image, as rows of 0 and 1 over one vocabulary."""

    def __init__(self, phrases, captions_by_image):
        contents = [content_of(text) for text in phrases]
        vocabulary = {word: i for i, word in enumerate(sorted(set().union(*contents)))}
        self.phrases = self._rows(contents, vocabulary)
        self.images = self._rows([set().union(*map(content_of, captions)) for captions in captions_by_image], vocabulary).toarray()
        self.lengths = np.asarray(self.phrases.sum(1)).ravel()

    @staticmethod
    def _rows(sets, vocabulary):
        columns = [[vocabulary[word] for word in words if word in vocabulary] for words in sets]
        starts = np.cumsum([0] + [len(row) for row in columns])
        places = np.array([place for row in columns for place in row])
        return csr_matrix((np.ones(len(places), np.float32), places, starts), (len(sets), len(vocabulary)))

    def described(self, phrases, images):
        """Which images [i] have all words of a phrase [p] in their captions: bool [p, i]."""
        return self.phrases[phrases] @ self.images[images].T >= self.lengths[phrases][:, None]
