"""Trains the heads that place images and sentences in one space: python train_heads.py WORK NAME [--classes] [--seed N] [--epochs N]

A head is a linear map of image features, and a linear map plus one hidden layer of MiniLM's sentence vectors. Loss: symmetric InfoNCE
(van den Oord et al. 2018, arXiv:1807.03748; Radford et al. 2021, arXiv:2103.00020) over images and one random caption of each. With
`--classes` the image vector also contains the text vectors of the ImageNet classes, weighted by their probabilities, and made-up images
of each class teach the names that no caption contains. Without it unseen names are not found.
"""

import argparse
import pathlib
import pickle
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

from data import DEV, TEST, Data, precision, recall, softmax

DIMENSIONS, HIDDEN, BATCH, PSEUDO_BATCH, PHRASE_BATCH = 256, 384, 512, 128, 256
RATE, DECAY, AVERAGING = 2e-3, 0.05, 0.98
MAX_LOG_SCALE = 4.3
# Of the loss of phrases.
PHRASE_WEIGHT = 0.75


def unit(x):
    return x / jnp.sqrt((x * x).sum(-1, keepdims=True) + 1e-8)


def drop(x, share, key):
    """Dropout; none without a key."""
    return x if key is None else x * jax.random.bernoulli(key, 1 - share, x.shape) / (1 - share)


def embed_sentences(p, m, key=None):
    keys = [None, None] if key is None else jax.random.split(key)
    m = drop(m, 0.1, keys[0])
    return unit(m @ p['text'] + drop(jax.nn.relu(m @ p['hidden'] + p['hidden_bias']), 0.3, keys[1]) @ p['output'])


def embed_images(p, f, probabilities, names, key=None):
    """`names`: text vectors of the classes [1000, d], or None for a head without classes."""
    u = unit(drop(f, 0.2, key) @ p['image'] + p['image_bias'])
    return u if names is None else unit(u + p['class_weight'] * (probabilities @ names))


def class_names(p, data):
    """Text vectors of the classes: of the name and of the name with its kinds."""
    return embed_sentences(p, data.vectors['class']) + embed_sentences(p, data.vectors['class with kinds'])


def initial(seed):
    rng = np.random.default_rng(seed)
    draw = lambda *shape, scale=1.0: jnp.array(rng.standard_normal(shape) * scale / np.sqrt(shape[0]), jnp.float32)
    return {
        'image': draw(512, DIMENSIONS), 'image_bias': jnp.zeros(DIMENSIONS), 'class_weight': jnp.array(0.5),
        'text': draw(384, DIMENSIONS), 'hidden': draw(384, HIDDEN), 'hidden_bias': jnp.zeros(HIDDEN),
        'output': draw(HIDDEN, DIMENSIONS, scale=0.3), 'log_scale': jnp.array(np.log(1 / 0.07), jnp.float32),
    }


def pseudo_images(data, classifier, rng):
    """Made-up images of each class: a random image's features, weakened, plus the direction of the class. Returns features and probabilities."""
    kernel, bias = classifier
    direction = kernel / np.linalg.norm(kernel, axis=1, keepdims=True)
    base = data.raw[rng.choice(data.train, 1000), :1024]
    strength = rng.uniform(0.25, 0.9, (1000, 1)) * np.linalg.norm(base, axis=1, keepdims=True)
    made = np.maximum(rng.uniform(0.3, 0.8, (1000, 1)) * base + 0.7 * strength * direction, 0)
    features = np.tile(data.projection.mean, (1000, 1))
    features[:, :1024] = made
    return data.projection(features).astype(np.float32), softmax(made @ kernel.T + bias).astype(np.float32)


def draw_phrases(data, images, rng):
    """Random phrases that describe at least one of the images: their rows [q], and which images each describes [q, i]."""
    rows = rng.choice(len(data.phrases.lengths), 3 * PHRASE_BATCH, replace=False)
    described = data.phrases.described(rows, images)
    known = np.flatnonzero(described.any(1))
    # As many as the step was compiled for; where too few describe anything, some twice.
    chosen = np.resize(known, PHRASE_BATCH)
    return rows[chosen], described[chosen].astype(np.float32)


def make_step(optimizer, with_classes):
    def loss(p, names, batch, key):
        f, probabilities, m, phrases, described, pseudo, pseudo_probabilities, pseudo_class = batch
        keys = jax.random.split(key, 4)
        scale = jnp.exp(jnp.minimum(p['log_scale'], MAX_LOG_SCALE))
        u = embed_images(p, f, probabilities, names, keys[0])
        similarity = scale * u @ embed_sentences(p, m, keys[1]).T
        diagonal = jnp.diag(similarity)
        total = (jax.nn.logsumexp(similarity, 1) + jax.nn.logsumexp(similarity, 0) - 2 * diagonal).mean()
        # Of a phrase all images are right whose captions have its words (Khosla et al. 2020, arXiv:2004.11362).
        share = jax.nn.log_softmax(scale * embed_sentences(p, phrases, keys[3]) @ u.T, 1)
        total -= PHRASE_WEIGHT * ((share * described).sum(1) / described.sum(1)).mean()
        if with_classes:
            made = embed_images(p, pseudo, pseudo_probabilities, names, keys[2])
            logits = scale * made @ unit(names).T
            total += optax.softmax_cross_entropy_with_integer_labels(logits, pseudo_class).mean()
        return total

    @jax.jit
    def step(p, average, state, names, batch, key):
        value, gradient = jax.value_and_grad(loss)(p, names, batch, key)
        updates, state = optimizer.update(gradient, state, p)
        p = optax.apply_updates(p, updates)
        return p, jax.tree.map(lambda a, b: AVERAGING * a + (1 - AVERAGING) * b, average, p), state, value

    return step


def evaluate(p, data, rows, with_classes):
    names = class_names(p, data) if with_classes else None
    images = embed_images(p, data.views[0][rows], data.probabilities[0][rows], names)
    captions = embed_sentences(p, data.vectors['caption'][data.caption_rows[rows].ravel()])
    return recall(np.array(images), np.array(captions))


def evaluate_queries(p, data, with_classes):
    """Precision at 10 of short queries over the images of dev."""
    names = class_names(p, data) if with_classes else None
    images = embed_images(p, data.views[0][DEV], data.probabilities[0][DEV], names)
    queries = embed_sentences(p, data.vectors['phrase'][data.query_rows])
    return precision(np.array(images), np.array(queries), data.query_answers)


def train(data, classifier, *, seed, epochs, with_classes):
    rng, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    p = average = initial(seed)
    steps = len(data.train) // BATCH
    schedule = optax.warmup_cosine_decay_schedule(0, RATE, 60, epochs * steps, RATE * 0.01)
    decayed = jax.tree.map(lambda x: x.ndim == 2, p)
    optimizer = optax.adamw(schedule, b2=0.98, weight_decay=DECAY, mask=decayed)
    state, step, began = optimizer.init(p), make_step(optimizer, with_classes), time.process_time()
    names_of = jax.jit(lambda p: class_names(p, data))
    pseudo, pseudo_probabilities = pseudo_images(data, classifier, rng)
    for epoch in range(epochs):
        names = names_of(average) if with_classes else None
        order = rng.permutation(data.train)
        for i in range(steps):
            images = order[i * BATCH:(i + 1) * BATCH]
            # The whole image in 6 of 10 cases at least, otherwise a part of it.
            view = np.where(rng.random(BATCH) < 0.4, 0, rng.integers(0, len(data.views), BATCH))
            rows = data.caption_rows[images, rng.integers(0, 5, BATCH)]
            phrases, described = draw_phrases(data, images, rng)
            drawn = rng.integers(0, 1000, PSEUDO_BATCH)
            batch = (data.views[view, images], data.probabilities[view, images], data.vectors['caption'][rows],
                     data.vectors['phrase'][phrases], described, pseudo[drawn], pseudo_probabilities[drawn], drawn)
            key, sub = jax.random.split(key)
            p, average, state, value = step(p, average, state, names, batch, sub)
        if epoch % 15 == 14 or epoch == epochs - 1:
            print(f'epoch {epoch + 1} loss {float(value):.3f} dev {evaluate(average, data, DEV, with_classes)} '
                  f'queries {evaluate_queries(average, data, with_classes)} '
                  f'weight {float(average["class_weight"]):.2f} {time.process_time() - began:.0f} s of processor time', flush=True)
    return average


def main():
    options = argparse.ArgumentParser()
    options.add_argument('work', type=pathlib.Path)
    options.add_argument('name')
    options.add_argument('--classes', action='store_true')
    options.add_argument('--seed', type=int, default=0)
    options.add_argument('--epochs', type=int, default=40)
    options = options.parse_args()
    data = Data(options.work)
    with open(options.work / 'classifier.pkl', 'rb') as file:
        classifier = pickle.load(file)
    p = train(data, classifier, seed=options.seed, epochs=options.epochs, with_classes=options.classes)
    print(options.name, 'test', evaluate(p, data, TEST, options.classes))
    with open(options.work / f'{options.name}.head.pkl', 'wb') as file:
        pickle.dump({'parameters': {k: np.array(v) for k, v in p.items()}, 'classes': options.classes}, file)


if __name__ == '__main__':
    main()
