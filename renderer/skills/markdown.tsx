import type { AlignType, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import classes from './markdown.module.css';

/** Deeper than any document that somebody wrote; a hostile one must not overflow the stack. */
const deepest = 60;
/** Headings of the text stand below the page's own two levels. */
const headingShift = 2;

/**
 * Markdown as elements of this page, never as HTML: the text's own HTML is shown as it is written, pictures are named
 * and not fetched, and only links to the web and to mail addresses can be followed.
 */
export function Markdown({ text }: { text: string }) {
  const root = useMemo(() => parse(text), [text]);
  if (root === null) return <pre className={classes['plain']}>{text}</pre>;
  return <div className={classes['markdown']}>{childrenOf(root, { definitions: definitionsOf(root), depth: 0 })}</div>;
}

interface Context {
  readonly definitions: ReadonlyMap<string, string>;
  readonly depth: number;
  readonly align?: readonly AlignType[];
  readonly headRow?: boolean;
}

function parse(text: string): Root | null {
  try {
    return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  } catch {
    return null;
  }
}

function definitionsOf(root: Root): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (nodes: readonly Nodes[]) => {
    for (const node of nodes) {
      if (node.type === 'definition') found.set(node.identifier, node.url);
    }
  };
  look(root.children);
  return found;
}

function childrenOf(node: Nodes, context: Context): ReactNode {
  if (!('children' in node)) return null;
  if (context.depth >= deepest) return plainText(node);
  const inner = { ...context, depth: context.depth + 1 };
  return node.children.map((child, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of one parsed text never change their order.
    <Fragment key={index}>{render(child, inner, index)}</Fragment>
  ));
}

function render(node: Nodes, context: Context, index: number): ReactNode {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'paragraph':
      return <p>{childrenOf(node, context)}</p>;
    case 'heading':
      return createElement(
        `h${Math.min(6, node.depth + headingShift)}`,
        { 'data-depth': node.depth },
        childrenOf(node, context),
      );
    case 'emphasis':
      return <em>{childrenOf(node, context)}</em>;
    case 'strong':
      return <strong>{childrenOf(node, context)}</strong>;
    case 'delete':
      return <del>{childrenOf(node, context)}</del>;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'code':
      return <Block label={node.lang ?? 'code'} text={node.value} />;
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'blockquote':
      return <blockquote>{childrenOf(node, context)}</blockquote>;
    case 'list':
      return node.ordered ? (
        <ol start={node.start ?? 1}>{childrenOf(node, context)}</ol>
      ) : (
        <ul>{childrenOf(node, context)}</ul>
      );
    case 'listItem':
      return (
        <li data-task={typeof node.checked === 'boolean' ? String(node.checked) : undefined}>
          {typeof node.checked === 'boolean' && <span aria-hidden>{node.checked ? '☑ ' : '☐ '}</span>}
          {childrenOf(node, context)}
        </li>
      );
    case 'link':
      return link(node.url, node.title ?? null, childrenOf(node, context));
    case 'linkReference':
      return link(context.definitions.get(node.identifier) ?? '', null, childrenOf(node, context));
    case 'image':
      return <span className={classes['picture']}>{node.alt || node.url}</span>;
    case 'imageReference':
      return <span className={classes['picture']}>{node.alt}</span>;
    case 'html':
      return /^<!--/.test(node.value) ? null : <code className={classes['html']}>{node.value}</code>;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard.
        <section className={classes['tableFrame']} tabIndex={0} aria-label={plainText(node.children[0] ?? node)}>
          <table>
            <tbody>{childrenOf(node, { ...context, align: node.align ?? [] })}</tbody>
          </table>
        </section>
      );
    case 'tableRow':
      return <tr>{childrenOf(node, { ...context, headRow: index === 0 })}</tr>;
    case 'tableCell': {
      const style = { textAlign: context.align?.[index] ?? undefined };
      return context.headRow ? (
        <th scope="col" style={style}>
          {childrenOf(node, context)}
        </th>
      ) : (
        <td style={style}>{childrenOf(node, context)}</td>
      );
    }
    case 'footnoteReference':
      return <sup>[{node.label ?? node.identifier}]</sup>;
    case 'footnoteDefinition':
      return (
        <div className={classes['footnote']}>
          [{node.label ?? node.identifier}] {childrenOf(node, context)}
        </div>
      );
    case 'definition':
    case 'yaml':
      return null;
    default:
      return childrenOf(node, context);
  }
}

/** The words of a part of the text, without its marks; without recursion, since it serves what is nested too deep. */
function plainText(node: Nodes): string {
  const words: string[] = [];
  const rest: Nodes[] = [node];
  while (rest.length > 0) {
    const next = rest.pop()!;
    if ('children' in next) rest.push(...[...next.children].reverse());
    else if ('value' in next) words.push(next.value);
  }
  return words.join(' ');
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard.
    <section className={classes['block']} tabIndex={0} aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** A file of the skill is no page of this window: what leads there is shown and can not be followed. */
function link(url: string, title: string | null, content: ReactNode): ReactNode {
  if (/^(?:https?:\/\/|mailto:)/i.test(url)) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" title={title ?? url}>
        {content}
      </a>
    );
  }
  return (
    <span className={classes['deadLink']} title={url}>
      {content}
    </span>
  );
}
