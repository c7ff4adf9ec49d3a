import type { Node } from 'oxc-parser';

/** An identifier at the place that declares it. */
export interface DeclaredName {
  readonly name: string;
  readonly start: number;
  /** It names a member of an object, a type or a class. */
  readonly isProperty?: true;
}

/**
 * The identifiers that a node declares: variables, functions, classes, types, parameters, properties and aliases of
 * imports and exports. A name that is declared elsewhere is not among them, such as `a` in `const { a } = b`.
 */
export function declaredNames(node: Node, parent: Node | null): readonly DeclaredName[] {
  return declaredBy(node, parent).filter(({ isShorthand }) => isShorthand !== true);
}

interface Binding extends DeclaredName {
  /** It takes its name from the property it reads. */
  readonly isShorthand?: true;
}

function declaredBy(node: Node, parent: Node | null): readonly Binding[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return bindings(node.id);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'TSDeclareFunction':
    case 'TSEmptyBodyFunctionExpression':
      return [...bindings(node.id), ...node.params.flatMap(bindings)];
    case 'ArrowFunctionExpression':
    case 'TSFunctionType':
    case 'TSConstructorType':
    case 'TSCallSignatureDeclaration':
    case 'TSConstructSignatureDeclaration':
      return node.params.flatMap(bindings);
    case 'TSMethodSignature':
      return [...key(node), ...node.params.flatMap(bindings)];
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
    case 'TSEnumMember':
    case 'TSModuleDeclaration':
      return bindings(node.id);
    case 'TSTypeParameter':
      return bindings(node.name);
    case 'TSMappedType':
      return bindings(node.key);
    case 'TSNamedTupleMember':
      return bindings(node.label);
    case 'CatchClause':
      return bindings(node.param);
    case 'Property':
      return parent?.type === 'ObjectPattern' ? [] : key(node);
    case 'PropertyDefinition':
    case 'MethodDefinition':
    case 'AccessorProperty':
    case 'TSPropertySignature':
      return key(node);
    case 'ImportSpecifier':
      return sameName(node.imported, node.local) ? [] : bindings(node.local);
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return bindings(node.local);
    case 'ExportSpecifier':
      return sameName(node.local, node.exported) ? [] : bindings(node.exported);
    default:
      return [];
  }
}

/** The names that a binding pattern declares. */
export function bindings(node: Node | null | undefined): readonly Binding[] {
  switch (node?.type) {
    case 'Identifier':
      return node.name === 'this' ? [] : [{ name: node.name, start: node.start }];
    case 'ObjectPattern':
      return node.properties.flatMap((part) => {
        if (part.type === 'RestElement') return bindings(part);
        const found = bindings(part.value);
        return part.shorthand ? found.map((one) => ({ ...one, isShorthand: true as const })) : found;
      });
    case 'ArrayPattern':
      return node.elements.flatMap(bindings);
    case 'AssignmentPattern':
      return bindings(node.left);
    case 'RestElement':
      return bindings(node.argument);
    case 'TSParameterProperty':
      return bindings(node.parameter);
    default:
      return [];
  }
}

/** A quoted or computed key is a value, not an identifier. */
function key(node: { readonly key: Node; readonly computed: boolean }): readonly Binding[] {
  return node.computed || (node.key.type !== 'Identifier' && node.key.type !== 'PrivateIdentifier')
    ? []
    : [{ name: node.key.name, start: node.key.start, isProperty: true }];
}

const sameName = (left: Node, right: Node): boolean => left.start === right.start;
