"""Which words name what the two networks recognise: python thing_words.py SOURCES WORK OUT

Writes `thing-words.json`: nouns of WordNet, in lower case, by what of the 80 objects of COCO and the 1,000 classes of ImageNet they name. `groups[i]` are
[objects that are such a thing, objects that such a thing is a kind of, classes that are such a thing, 1 if such a thing
is mostly recognised where it is, so that a lack of it says something].
"""

import json
import pathlib
import re
import sys

import numpy as np

from data import FIRST_TRAIN, read_features, softmax
from sources import class_offsets
from wordnet import TOO_GENERAL

# Names of COCO's 80 kinds by their numbers in the detector, with the synset that is meant.
OBJECTS = {
    0: '00007846', 1: '02834778', 2: '02958343', 3: '03790512', 4: '02691156', 5: '02924116', 6: '04468005', 7: '04490091', 8: '02858304',
    9: '06874185', 10: '03346898', 13: '03891332', 14: '02828884', 15: '01503061', 16: '02121620', 17: '02084071', 18: '02374451',
    19: '02411705', 20: '02402425', 21: '02503517', 22: '02131653', 23: '02391049', 24: '02439033', 26: '02769748', 27: '04507155',
    30: '02774152', 31: '03815615', 32: '02773838', 33: '03397947', 34: '04228054', 35: '04251791', 36: '02778669', 37: '03621473',
    38: '02799175', 39: '02800213', 40: '04225987', 41: '04363559', 42: '04409806', 43: '02876657', 45: '04592099', 46: '03147509',
    47: '03383948', 48: '03623556', 49: '04284002', 50: '02881193', 51: '07753592', 52: '07739125', 53: '07695965', 54: '07747607',
    55: '07714990', 56: '07730207', 57: '07697537', 58: '07873807', 59: '07639069', 60: '07628870', 61: '03001627', 62: '04256520',
    63: '11536230', 64: '02818832', 66: '03201208', 69: '04446521', 71: '04405907', 72: '03642806', 73: '03793489', 74: '04074963',
    75: '03085013', 76: '02992529', 77: '03761084', 78: '03862676', 79: '04442312', 80: '04223580', 81: '04070727', 83: '02870092',
    84: '03046257', 85: '04522168', 86: '04148054', 87: '04399382', 88: '03483316', 89: '04453156',
}
# What WordNet calls otherwise, or has not: the name, and the synset that it is searched by.
NAMES = {
    'stop sign': 'class 919', 'couch': '04256520', 'tv': '04405907', 'television': '04405907', 'cell phone': '02992529', 'phone': '02992529',
    'mobile phone': '02992529', 'smartphone': '02992529', 'potted plant': '11536230', 'plane': '02691156', 'bike': '02834778',
    'motorbike': '03790512', 'remote': '04074963', 'keyboard': '03085013', 'tie': '03815615', 'kite': '03621473', 'ball': '02778669',
    'orange': '07747607', 'donut': '07639069', 'hot dog': '07697537', 'mouse': '03793489', 'fridge': '04070727', 'people': '00007846', 'cow': '02402425',
}
# Of kinds of people only those that a person is for everybody: whom the detector sees is no judge.
PEOPLE = {'person', 'people', 'man', 'woman', 'child', 'kid', 'boy', 'girl', 'baby', 'toddler', 'lady', 'guy', 'adult', 'teenager', 'human'}
PERSON, ANIMAL, STOP_SIGN = '00007846', '00015388', 919
# Words of which few that mean them mean what the networks saw.
AMBIGUOUS = {'model', 'crane', 'mouse', 'tank', 'suit', 'stage', 'sign', 'court', 'block', 'head', 'body', 'foot', 'ground', 'ring', 'match', 'bar',
             'play', 'light', 'screen', 'board', 'case', 'table', 'plant', 'glass', 'set', 'seal', 'cut', 'line', 'top', 'back', 'wing', 'neck'}
# Of what a synset is a kind of, this share must have a class for a lack of them to say something.
COVERED = 0.4
# What people wear is seldom what a photograph is of.
COVERING = '03122748'
# Of the training images whose captions name a thing, it is seen in this share of them at least, where so many name it.
LEAST_SEEN, LEAST_NAMED, SEEN_FROM = 0.35, 5, 0.2
# Where the features of the detector begin: the roots of its best scores.
FIRST_OBJECT, MOST_CLASSES = 1920, 5


class Net:
    """Nouns with their kinds, in both directions, and senses of words by how frequent they are."""

    def __init__(self, folder):
        self.words, self.kinds, self.below, self.senses = {}, {}, {}, {}
        for line in (folder / 'data.noun').read_text('latin1').splitlines():
            if line.startswith(' '):
                continue
            fields = line.partition(' | ')[0].split()
            count = int(fields[3], 16)
            at = 4 + 2 * count
            pointers = [fields[at + 1 + 4 * i:at + 5 + 4 * i] for i in range(int(fields[at]))]
            self.words[fields[0]] = [word.replace('_', ' ') for word in fields[4:4 + 2 * count:2]]
            # Not instances: names of persons and places.
            self.kinds[fields[0]] = [offset for symbol, offset, _, _ in pointers if symbol == '@']
            for kind in self.kinds[fields[0]]:
                self.below.setdefault(kind, []).append(fields[0])
        for line in (folder / 'index.noun').read_text('latin1').splitlines():
            if not line.startswith(' '):
                fields = line.split()
                self.senses[fields[0].replace('_', ' ')] = fields[-int(fields[2]):]

    def all_kinds(self, offset):
        """A synset and all that it is a kind of."""
        found, open_ = set(), [offset]
        while open_:
            one = open_.pop()
            if one not in found:
                found.add(one)
                open_ += self.kinds[one]
        return found


class Photographs:
    """What the networks see in the training images, and which images each word is in a caption of."""

    def __init__(self, work):
        features, logits = read_features(work / 'plain.f32')
        self.objects = features[FIRST_TRAIN:, FIRST_OBJECT:FIRST_OBJECT + 90] ** 2
        self.classes = softmax(logits[FIRST_TRAIN:])
        self.classes[self.classes < np.sort(self.classes, 1)[:, -MOST_CLASSES][:, None]] = 0
        captions = json.loads((work / 'texts.json').read_text())['texts']['caption'][5 * FIRST_TRAIN:5 * len(features)]
        self.images = {}
        for row, caption in enumerate(captions):
            words = re.findall("[a-z']+", caption.lower())
            for length in (1, 2, 3):
                for at in range(len(words) - length + 1):
                    self.images.setdefault(' '.join(words[at:at + length]), set()).add(row // 5)

    def tell(self, word, objects, within, classes):
        """Whether a thing is mostly seen where a caption names it; null where too few do."""
        rows = sorted(set().union(*(self.images.get(word + end, ()) for end in ('', 's', 'es'))))
        if len(rows) < LEAST_NAMED:
            return None
        unseen = 1 - np.minimum(1, self.classes[rows][:, classes].sum(1))
        for kinds in (objects, within if not objects and not classes else []):
            if kinds:
                unseen = unseen * (1 - self.objects[rows][:, kinds].max(1))
        return bool((unseen <= 1 - SEEN_FROM).mean() >= LEAST_SEEN)


def spaced(word):
    """A name without hyphens: queries are read so as well."""
    return word.replace('-', ' ')


def main():
    sources = json.loads(pathlib.Path(sys.argv[1]).read_text())
    photographs = Photographs(pathlib.Path(sys.argv[2]))
    net = Net(pathlib.Path(sources['wordnet']))
    classes, objects, class_of = {}, {}, {}
    for number, offset in enumerate(class_offsets(sources['imagenet_samples'])):
        class_of[offset] = number
        for kind in net.all_kinds(offset):
            classes.setdefault(kind, set()).add(number)
    for number, offset in OBJECTS.items():
        for kind in net.all_kinds(offset):
            objects.setdefault(kind, set()).add(number)
    object_of = {offset: number for number, offset in OBJECTS.items()}

    def covered(offset):
        if offset in class_of or offset in object_of:
            return 1
        below = net.below.get(offset, [])
        return sum(covered(one) for one in below) / len(below) if below and offset in classes else 0

    def group(offset):
        kinds = net.all_kinds(offset)
        within = sorted(object_of[kind] for kind in kinds if kind in object_of and kind != offset)
        # A hot-air balloon has no class of its own: it is a balloon.
        found = sorted(classes.get(offset, ()) or {class_of[kind] for kind in kinds if kind in class_of})
        is_complete = COVERING not in kinds and (bool(within) or not class_of.keys().isdisjoint(kinds) or (ANIMAL in kinds and bool(found)) or covered(offset) >= COVERED)
        return [sorted(objects.get(offset, ())), within, found, int(is_complete)]

    def is_used(offset, word):
        kinds = net.all_kinds(offset)
        if word.replace(' ', '_') in TOO_GENERAL or len(classes.get(offset, ())) > 420:
            return False
        return (PERSON not in kinds or word in PEOPLE) and any(group(offset)[:3])

    words, groups, numbers = {}, [], {}
    for word, senses in net.senses.items():
        if word in AMBIGUOUS or word in NAMES or not word.replace(' ', '').replace('-', '').replace("'", '').isalpha():
            continue
        direct = [one for one in senses if one in class_of or one in object_of]
        chosen = list(dict.fromkeys([one for one in senses[:1] if is_used(one, word)] + direct))
        if not chosen:
            continue
        parts = [group(one) for one in chosen]
        words[spaced(word)] = [*(sorted({n for part in parts for n in part[i]}) for i in range(3)), min(part[3] for part in parts)]
    for word, offset in NAMES.items():
        words[word] = [[12], [], [STOP_SIGN], 1] if offset.startswith('class') else group(offset)
    for word, known in words.items():
        told = photographs.tell(word, *known[:3])
        known[3] = known[3] if told is None else int(told)
        key = json.dumps(known)
        if key not in numbers:
            numbers[key] = len(groups)
            groups.append(known)
        words[word] = numbers[key]
    pathlib.Path(sys.argv[3]).write_text(json.dumps({'groups': groups, 'words': dict(sorted(words.items()))}, separators=(',', ':')) + '\n')
    print(len(words), 'words,', len(groups), 'groups')


if __name__ == '__main__':
    main()
