"""The text side as one ONNX graph: MiniLM, and the heads on its sentence vector."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def add_text_heads(minilm_file, data, joint):
    """MiniLM with the heads: `input_ids` int64 [1, n] with [CLS] and [SEP], to `embedding` float32 [1, 512], unit length, and `sentence`
    float32 [1, 384], the mean of what MiniLM says of each piece: its own sentence vector, before it is scaled to unit length."""
    model = onnx.load(minilm_file)
    graph = model.graph

    def node(op, inputs, name, first=False, **attributes):
        made = helper.make_node(op, inputs, [name], name=name, **attributes)
        # Nodes are in the order of their computation; the masks come before everything.
        graph.node.insert(0, made) if first else graph.node.append(made)
        return name

    def constant(name, values):
        # In 16 bits; the runtime folds the cast when it loads the graph.
        graph.initializer.append(numpy_helper.from_array(np.asarray(values, np.float16), f'{name}.float16'))
        return node('Cast', [f'{name}.float16'], name, to=TensorProto.FLOAT)

    # One query at a time: every piece counts, and there is one sentence.
    fills = {'attention_mask': 1, 'token_type_ids': 0}
    for name, value in fills.items():
        filler = helper.make_tensor(f'{name}.value', TensorProto.INT64, [1], [value])
        node('ConstantOfShape', ['input_ids.shape'], name, first=True, value=filler)
    node('Shape', ['input_ids'], 'input_ids.shape', first=True)
    for name in fills:
        graph.input.remove(next(i for i in graph.input if i.name == name))

    mean = node('ReduceMean', ['last_hidden_state'], 'sentence', axes=[1], keepdims=0)
    centred = node('Sub', [mean, constant('sentence.mean', data.sentence_mean)], 'sentence.centred')
    m = node('Div', [centred, constant('sentence.scale', data.sentence_scale)], 'sentence.scaled')
    vectors = []
    for i, (p, _) in enumerate(joint.heads):
        h = f'head{i}'
        hidden = node('Add', [node('MatMul', [m, constant(f'{h}.hidden', p['hidden'])], f'{h}.product'),
                              constant(f'{h}.bias', p['hidden_bias'])], f'{h}.sum')
        output = node('MatMul', [node('Relu', [hidden], f'{h}.relu'), constant(f'{h}.output', p['output'])], f'{h}.bent')
        y = node('Add', [node('MatMul', [m, constant(f'{h}.text', p['text'])], f'{h}.straight'), output], h)
        vectors.append(node('Div', [y, node('ReduceL2', [y], f'{h}.length', axes=[-1])], f'{h}.unit'))
    joined = node('Concat', vectors, 'heads', axis=1)
    turned = node('MatMul', [joined, constant('axes', joint.axes)], 'turned')
    node('Div', [turned, node('ReduceL2', [turned], 'turned.length', axes=[-1])], 'embedding')
    del graph.output[:]
    for name, width in (('embedding', joint.axes.shape[1]), ('sentence', len(data.sentence_mean))):
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, width]))
    onnx.checker.check_model(model)
    return model
