import { CONFIG_LOADER, FOLDERS } from '../plan.ts';
import { isTest, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** A folder imports only the packages it may use, and only those that users install. */
export function checkPackages(file: SourceFile, packages: readonly string[]): readonly Violation[] {
  if (file.folder === null || isTest(file.path)) return [];
  const { path, folder } = file;
  const allowed = Object.hasOwn(FOLDERS, folder) ? FOLDERS[folder]?.packages : undefined;
  return file.targets.flatMap(({ specifier, line, file: inside, pack }): Violation[] => {
    if (inside !== null) return [];
    if (pack === null && path === CONFIG_LOADER) return [];
    if (pack === null) return [{ rule: 'computed-import', path, line, message: 'import by a literal name' }];
    const name = pack.startsWith('node:') ? 'node:' : pack;
    if (allowed !== undefined && !allowed.includes(name)) {
      const list = allowed.join(', ') || 'nothing';
      const message = `${folder} may not import ${specifier} (packages it may import: ${list})`;
      return [{ rule: 'package', path, line, message }];
    }
    if (name === 'node:' || packages.includes(name)) return [];
    const message = `${name} is neither a dependency nor a peer dependency`;
    return [{ rule: 'undeclared-package', path, line, message }];
  });
}
