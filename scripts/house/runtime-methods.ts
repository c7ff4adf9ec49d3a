import { posix } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';
import { exportedNames } from './syntax/exports.ts';
import { literal } from './syntax/walk.ts';

/** A member of an interface. */
interface Member {
  readonly name: string;
  readonly isCallable: boolean;
}

/** A type and the file whose imports give its names a meaning. */
interface TypeInFile {
  readonly node: Node;
  readonly path: string;
}

type Files = ReadonlyMap<string, string>;

/** The callable members at the top level of an exported interface, those of the types it extends included. */
export function methodsOf(files: Files, path: string, typeName: string): readonly string[] {
  const declaration = findType(files, path, typeName);
  if (declaration === null) return [];
  const methods = membersOf(files, declaration).filter(({ isCallable }) => isCallable);
  return [...new Set(methods.map(({ name }) => name))].sort();
}

function membersOf(files: Files, { node, path }: TypeInFile): readonly Member[] {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
      return [
        ...node.body.body.flatMap((member) => memberOf(files, { node: member, path })),
        ...node.extends.flatMap((base) =>
          base.expression.type === 'Identifier'
            ? namedMembers(files, path, base.expression.name, base.typeArguments?.params ?? [])
            : [],
        ),
      ];
    case 'TSTypeAliasDeclaration':
      return membersOf(files, { node: node.typeAnnotation, path });
    case 'TSTypeLiteral':
      return node.members.flatMap((member) => memberOf(files, { node: member, path }));
    case 'TSIntersectionType':
      return node.types.flatMap((part) => membersOf(files, { node: part, path }));
    case 'TSTypeReference':
      return node.typeName.type === 'Identifier'
        ? namedMembers(files, path, node.typeName.name, node.typeArguments?.params ?? [])
        : [];
    default:
      throw new Error(`${path}: the members of a ${node.type} cannot be listed`);
  }
}

/** The members of a named type; `Pick`, `Omit` and `Readonly` are applied. */
function namedMembers(files: Files, path: string, name: string, [first, second]: readonly Node[]): readonly Member[] {
  const declaration = findType(files, path, name);
  if (declaration !== null) return membersOf(files, declaration);
  if (first === undefined || !['Pick', 'Omit', 'Readonly'].includes(name))
    throw new Error(`${path}: cannot resolve the type ${name}`);
  const members = membersOf(files, { node: first, path });
  if (second === undefined) return members;
  const keys = keysOf(files, { node: second, path });
  return members.filter((member) => keys.includes(member.name) === (name === 'Pick'));
}

function keysOf(files: Files, { node, path }: TypeInFile): readonly string[] {
  if (node.type === 'TSUnionType') return node.types.flatMap((part) => keysOf(files, { node: part, path }));
  if (node.type === 'TSLiteralType') return [literal(node.literal)];
  if (node.type === 'TSTypeOperator')
    return membersOf(files, { node: node.typeAnnotation, path }).map(({ name }) => name);
  const alias = node.type === 'TSTypeReference' ? referenced(files, { node, path }) : null;
  if (alias?.node.type === 'TSTypeAliasDeclaration')
    return keysOf(files, { ...alias, node: alias.node.typeAnnotation });
  throw new Error(`${path}: the keys of a ${node.type} cannot be listed`);
}

function memberOf(files: Files, { node, path }: TypeInFile): readonly Member[] {
  if (node.type !== 'TSMethodSignature' && node.type !== 'TSPropertySignature') return [];
  const name = node.key.type === 'Identifier' ? node.key.name : literal(node.key);
  if (node.type === 'TSMethodSignature') return [{ name, isCallable: node.kind === 'method' }];
  const type = node.typeAnnotation?.typeAnnotation;
  return [{ name, isCallable: type !== undefined && isFunctionType(files, { node: type, path }) }];
}

function isFunctionType(files: Files, { node, path }: TypeInFile): boolean {
  if (node.type === 'TSFunctionType') return true;
  if (node.type === 'TSParenthesizedType') return isFunctionType(files, { node: node.typeAnnotation, path });
  const named = node.type === 'TSTypeReference' ? referenced(files, { node, path }) : null;
  if (named === null) return false;
  if (named.node.type === 'TSTypeAliasDeclaration')
    return isFunctionType(files, { ...named, node: named.node.typeAnnotation });
  return (
    named.node.type === 'TSInterfaceDeclaration' &&
    named.node.body.body.some((member) => member.type === 'TSCallSignatureDeclaration')
  );
}

function referenced(files: Files, { node, path }: TypeInFile): TypeInFile | null {
  return node.type === 'TSTypeReference' && node.typeName.type === 'Identifier'
    ? findType(files, path, node.typeName.name)
    : null;
}

/** The declaration of a type, in this file or behind its imports and re-exports. */
function findType(files: Files, path: string, name: string): TypeInFile | null {
  const text = files.get(path);
  if (text === undefined) return null;
  const { body } = parseSync(path, text).program;
  for (const statement of body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    const isType = node?.type === 'TSInterfaceDeclaration' || node?.type === 'TSTypeAliasDeclaration';
    if (isType && node.id.name === name) return { node, path };
    const source = 'source' in statement && statement.source !== null ? literal(statement.source) : null;
    if (source === null || !source.startsWith('.')) continue;
    const target = posix.join(posix.dirname(path), source);
    if (statement.type === 'ImportDeclaration')
      for (const specifier of statement.specifiers)
        if (specifier.type === 'ImportSpecifier' && specifier.local.name === name)
          return findType(
            files,
            target,
            specifier.imported.type === 'Identifier' ? specifier.imported.name : specifier.imported.value,
          );
    const exported = exportedNames([statement]).find((one) => one.name === name);
    if (exported?.isReExport === true) return findType(files, target, exported.local);
  }
  return null;
}
