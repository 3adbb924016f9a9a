import { assertNever } from '../errors/invariant.ts';
import type { Condition, Expression, Template, TemplateRoot } from './template.ts';

/** A name that a template or a condition reads. */
export interface Reference {
  readonly root: TemplateRoot;
  readonly path: readonly string[];
  /** In the source, from 0, in UTF-16 units. */
  readonly offset: number;
  /**
   * What comes out can not be mistaken for the text around it, or is cut short: the last filter on it is one of
   * xml_escape, truncate, tojson and slugify (which leaves letters, digits and dashes), or it is only compared.
   */
  readonly safe: boolean;
}

/** The names that are read, in the order of the source. In a condition all are safe: nothing of them is shown. */
export function referencesOf(source: Template | Condition): Reference[] {
  const found: Reference[] = [];
  const todo: [Expression, Guard][] =
    'parts' in source
      ? source.parts.filter((part) => typeof part !== 'string').map((part) => [part, 'none'])
      : [[source.expression, 'safe']];
  // No recursion: a long row of `or` is a deep tree.
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [expression, guard] = next;
    switch (expression.kind) {
      case 'literal':
        break;
      case 'name': {
        const { root, path, offset } = expression;
        found.push({ root, path, offset, safe: guard === 'safe' });
        break;
      }
      case 'list':
        for (const item of expression.items) todo.push([item, guard]);
        break;
      case 'not':
        todo.push([expression.operand, 'safe']);
        break;
      case 'filter':
        todo.push([expression.operand, guard === 'none' ? guardOf(expression.name) : guard]);
        break;
      case 'binary': {
        const isValue = expression.operator === 'and' || expression.operator === 'or';
        todo.push([expression.left, isValue ? guard : 'safe'], [expression.right, isValue ? guard : 'safe']);
        break;
      }
      default:
        assertNever(expression);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

/** What the filters outside of an expression make of it; `undone` = the last one takes back what those before it did. */
type Guard = 'none' | 'safe' | 'undone';

function guardOf(filter: Extract<Expression, { kind: 'filter' }>['name']): Guard {
  return filter === 'from_json' ? 'undone' : 'safe';
}
