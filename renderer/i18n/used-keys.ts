import ts from 'typescript';

/** One place in the source that asks for a text. */
export interface KeyUse {
  readonly file: string;
  readonly line: number;
  /** Namespaces that the key is looked up in; null when the file does not say which `t` it is. */
  readonly namespaces: readonly string[] | null;
  /** The key without its namespace; `*` stands for a part that is computed. */
  readonly key: string;
  /** Names of the values that are handed over; null when they can not be read off. */
  readonly values: readonly string[] | null;
}

export interface SourceTexts {
  readonly uses: readonly KeyUse[];
  /** Calls whose key is computed as a whole. */
  readonly computed: readonly { readonly file: string; readonly line: number; readonly call: string }[];
  /** Every string in the source; a computed key may be one of them. */
  readonly strings: ReadonlySet<string>;
}

type Scope = Map<string, readonly string[] | null>;

/** Reads off which texts a source file asks for: calls of `t` from `useTranslation`, of a parameter `t`, of `i18next.t`. */
export function usedKeys(file: string, source: string): SourceTexts {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, scriptKind(file));
  const uses: KeyUse[] = [];
  const computed: SourceTexts['computed'][number][] = [];
  const strings = new Set<string>();

  const visit = (node: ts.Node, scopes: readonly Scope[]): void => {
    let inner = scopes;
    if (ts.isFunctionLike(node)) {
      const scope: Scope = new Map();
      for (const parameter of node.parameters) {
        if (ts.isIdentifier(parameter.name) && parameter.name.text === 't') {
          scope.set('t', namespacesOfType(parameter.type));
        }
      }
      inner = [...scopes, scope];
    }
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) strings.add(node.text);
    if (ts.isVariableDeclaration(node)) declare(node, inner.at(-1));
    if (ts.isCallExpression(node)) read(node, inner);
    ts.forEachChild(node, (child) => visit(child, inner));
  };

  const read = (call: ts.CallExpression, scopes: readonly Scope[]): void => {
    const namespaces = namespacesOfCall(call.expression, scopes);
    const [asked, options] = call.arguments;
    if (namespaces === undefined || asked === undefined) return;
    const line = tree.getLineAndCharacterOfPosition(call.getStart()).line + 1;
    const keys = keysOf(asked);
    if (keys.length === 0) computed.push({ file, line, call: call.getText() });
    for (const written of keys) {
      const [, named, key = written] = /^([\w-]+):(.+)$/.exec(written) ?? [];
      uses.push({
        file,
        line,
        namespaces: named === undefined ? namespaces : [named],
        key,
        values: valuesOf(options),
      });
    }
  };

  visit(tree, [new Map()]);
  return { uses, computed, strings };
}

function declare(node: ts.VariableDeclaration, scope: Scope | undefined): void {
  const { name, initializer } = node;
  if (initializer === undefined || !ts.isCallExpression(initializer) || !ts.isObjectBindingPattern(name)) return;
  if (initializer.expression.getText() !== 'useTranslation') return;
  const [asked] = initializer.arguments;
  // Without `fallback` mode only the first namespace is searched.
  const namespace =
    asked === undefined ? 'common' : ts.isArrayLiteralExpression(asked) ? textOf(asked.elements[0]) : textOf(asked);
  for (const element of name.elements) {
    const original = (element.propertyName ?? element.name).getText();
    if (original === 't') scope?.set(element.name.getText(), namespace === null ? null : [namespace]);
  }
}

/** Undefined when the call asks for no text. */
function namespacesOfCall(callee: ts.Expression, scopes: readonly Scope[]): readonly string[] | null | undefined {
  if (callee.getText() === 'i18next.t') return ['common'];
  if (!ts.isIdentifier(callee)) return undefined;
  return scopes.findLast((scope) => scope.has(callee.text))?.get(callee.text);
}

function namespacesOfType(type: ts.TypeNode | undefined): readonly string[] | null {
  if (type === undefined || !ts.isTypeReferenceNode(type) || type.typeName.getText() !== 'TFunction') return null;
  const [argument] = type.typeArguments ?? [];
  const first = argument !== undefined && ts.isTupleTypeNode(argument) ? argument.elements[0] : argument;
  return first !== undefined && ts.isLiteralTypeNode(first) ? [textOf(first.literal) ?? ''] : null;
}

function keysOf(node: ts.Expression): string[] {
  if (ts.isConditionalExpression(node)) return [...keysOf(node.whenTrue), ...keysOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return keysOf(node.expression);
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => `*${span.literal.text}`);
    return [node.head.text + parts.join('')];
  }
  const text = textOf(node);
  return text === null ? [] : [text];
}

function valuesOf(options: ts.Expression | undefined): string[] | null {
  if (options === undefined) return [];
  if (!ts.isObjectLiteralExpression(options)) return null;
  const names = options.properties.map((property) =>
    ts.isSpreadAssignment(property) ? null : (property.name?.getText() ?? null),
  );
  return names.includes(null) ? null : (names as string[]);
}

function textOf(node: ts.Node | undefined): string | null {
  return node !== undefined && (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    ? node.text
    : null;
}

function scriptKind(file: string): ts.ScriptKind {
  return file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}
