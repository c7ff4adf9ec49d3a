import { parseSync } from 'oxc-parser';
import { exportedNames } from './syntax/exports.ts';
import { functionName, isFunction } from './syntax/functions.ts';
import { type ImportedModule, importedModule } from './syntax/imports.ts';
import { codeLineCounter, lineFinder } from './syntax/lines.ts';
import { declaredNames } from './syntax/names.ts';
import { usedName } from './syntax/uses.ts';
import { walk } from './syntax/walk.ts';

/** A name and the line of its place. */
export interface Place {
  readonly name: string;
  readonly line: number;
}

export interface Import extends ImportedModule {
  readonly line: number;
}

export interface Export extends Place {
  readonly local: string;
  readonly isReExport: boolean;
}

export interface Name extends Place {
  readonly isProperty: boolean;
}

export interface FunctionSize extends Place {
  /** Lines of code, nested functions included, blank lines and comments not. */
  readonly lines: number;
}

/** Everything the rules and figures need to know about one file. */
export interface FileFacts {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly functions: readonly FunctionSize[];
  /** Identifiers at the places that declare them. */
  readonly names: readonly Name[];
  /** Free identifiers used as values, and member chains such as `Math.random`. */
  readonly uses: readonly Place[];
  readonly defaultExports: readonly number[];
  readonly starExports: readonly number[];
  readonly syntaxErrors: readonly string[];
}

export function scan(path: string, text: string): FileFacts {
  const { program, comments, errors } = parseSync(path, text);
  const lineOf = lineFinder(text);
  const codeLines = codeLineCounter(text, comments);
  const imports: Import[] = [];
  const functions: FunctionSize[] = [];
  const names: Name[] = [];
  const uses: Place[] = [];
  const defaultExports: number[] = [];
  const starExports: number[] = [];
  walk(program, (node, parent, key, inType) => {
    const line = lineOf(node.start);
    const module = importedModule(node);
    if (module !== null) imports.push({ ...module, line });
    if (isFunction(node)) functions.push({ name: functionName(node, parent), line, lines: codeLines(node) });
    for (const { name, start, isProperty = false } of declaredNames(node, parent))
      names.push({ name, line: lineOf(start), isProperty });
    if (node.type === 'ExportDefaultDeclaration') defaultExports.push(line);
    if (node.type === 'ExportSpecifier' && text.slice(node.exported.start, node.exported.end) === 'default')
      defaultExports.push(line);
    if (node.type === 'ExportAllDeclaration') starExports.push(line);
    const name = inType ? null : usedName(node, parent, key);
    if (name !== null) uses.push({ name, line });
  });
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
    exports: exportedNames(program.body).map(({ start, ...rest }) => ({ ...rest, line: lineOf(start) })),
    functions,
    names,
    uses,
    defaultExports,
    starExports,
    syntaxErrors: errors.map((error) => error.message),
  };
}
