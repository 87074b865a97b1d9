/**
 * Renders templates of Helm, as far as the chart of this repository uses their language: values, variables, `if eq`, `else`, `range` over a list
 * and over a map, `index`, `list`, `toJson`, and `-` at the beginning of a tag. Anything else, and a value that is not there, is an error.
 */
type Scope = Record<string, unknown>;
type Node = string | { tag: string; body: Node[]; otherwise: Node[] };

/** @param root what `.` is: `Values` and `Release` */
export const renderTemplate = (template: string, root: object): string =>
  renderNodes(parseNodes(template), { '': root, $: root });

function parseNodes(template: string): Node[] {
  const parts = template.replaceAll(/\s*\{\{-/g, '{{').split(/\{\{\s*(.*?)\s*\}\}/);
  let position = 0;
  const parse = (isInside: boolean): { nodes: Node[]; end: string } => {
    const nodes: Node[] = [];
    for (; position < parts.length; position++) {
      const part = parts[position] ?? '';
      if (position % 2 === 0) {
        nodes.push(part);
      } else if (part === 'end' || part === 'else') {
        if (!isInside) throw new Error(`There is an ${part} without a beginning.`);
        return { nodes, end: part };
      } else if (/^(?:if|range)\b/.test(part)) {
        position += 1;
        const { nodes: body, end } = parse(true);
        let otherwise: Node[] = [];
        if (end === 'else') {
          position += 1;
          otherwise = parse(true).nodes;
        }
        nodes.push({ tag: part, body, otherwise });
      } else {
        nodes.push({ tag: part, body: [], otherwise: [] });
      }
    }
    if (isInside) throw new Error('An end is missing.');
    return { nodes, end: '' };
  };
  return parse(false).nodes;
}

function renderNodes(nodes: Node[], scope: Scope): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      const [, names, expression = ''] = /^(?:range )?(\$\w+(?:, \$\w+)?) := (.*)$/.exec(node.tag) ?? [];
      if (node.tag.startsWith('if ')) {
        const [, one = '', other = ''] = /^if eq (\S+) (\S+)$/.exec(node.tag) ?? [];
        const isEqual = evaluate(one, scope) === evaluate(other, scope);
        return renderNodes(isEqual ? node.body : node.otherwise, { ...scope });
      }
      if (node.tag.startsWith('range '))
        return renderEach(node.body, names, evaluate(expression, scope) as object, scope);
      if (names !== undefined) {
        scope[names] = evaluate(expression, scope);
        return '';
      }
      const value = evaluate(node.tag, scope);
      if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`${node.tag} is no text.`);
      return String(value);
    })
    .join('');
}

function renderEach(body: Node[], names = '', values: object, scope: Scope): string {
  const [first = '', second] = names.split(', ');
  return Object.entries(values)
    .map(([key, value]) =>
      renderNodes(body, { ...scope, '': value, ...(second ? { [first]: key, [second]: value } : { [first]: value }) }),
    )
    .join('');
}

function evaluate(expression: string, scope: Scope): unknown {
  const [word = '', ...rest] = expression.split(' ');
  if (word === 'list') return rest.map((each) => evaluate(each, scope));
  if (word === 'toJson') return JSON.stringify(evaluate(rest.join(' '), scope));
  if (word === 'index') return step(evaluate(rest[0] ?? '', scope), String(evaluate(rest[1] ?? '', scope)), expression);
  if (word.startsWith('"')) return word.slice(1, -1);
  const [name = '', ...path] = word.split('.');
  if (rest.length > 0 || !Object.hasOwn(scope, name)) throw new Error(`${expression} is not understood.`);
  return path.filter(Boolean).reduce((value: unknown, each) => step(value, each, expression), scope[name]);
}

function step(value: unknown, name: string, expression: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    throw new Error(`${expression} names no value.`);
  return (value as Scope)[name];
}
