import { ADAPTER, COMPOSE, ENTRIES, FOLDERS, type Folder, PUBLIC, TOP_ENTRIES } from '../plan.ts';
import { folderOf, isShipped, isTest, type SourceFile, type Target } from '../resolve.ts';
import type { Rule, Violation } from '../violation.ts';

/** A folder imports only the folders that the plan allows. Tests may import every folder; shipped files import no test. */
export function checkFolderImports(file: SourceFile): readonly Violation[] {
  if (file.folder === null || !isShipped(file)) return [];
  const folder = plannedFolder(file.folder);
  const isTopFile = file.path === COMPOSE || TOP_ENTRIES.includes(file.path);
  const violation = (line: number, rule: Rule, message: string): Violation => ({
    rule,
    path: file.path,
    line,
    message,
  });
  if (folder === null && !isTopFile)
    return [violation(1, 'unknown-folder', `scripts/house/plan.ts lists no folder "${file.folder}"`)];
  return file.targets.flatMap((target) => {
    const problem = isTopFile ? topFileProblem(file.path, target) : importProblem(file, folder, target);
    return problem === null ? [] : [violation(target.line, ...problem)];
  });
}

type Problem = readonly [rule: Rule, message: string] | null;

function importProblem(file: SourceFile, folder: Folder | null, target: Target): Problem {
  if (target.file === null) return null;
  const other = folderOf(target.file);
  if (other === null || isTest(target.file)) return notShipped(target);
  if (other === file.folder) return null;
  const allowed = [...(folder?.mayImport ?? []), ...(folder?.exceptions?.[file.path] ?? [])];
  if (allowed.includes(other)) return null;
  if (allowed.includes(PUBLIC) && ENTRIES.includes(target.file)) return null;
  if (isAdapter(other))
    return isAdapter(file.folder ?? '')
      ? ['adapter-sibling', `${file.folder} imports ${other}; an adapter may not import another`]
      : ['adapter-import', `only ${COMPOSE} may import ${other}`];
  return [
    'folder-import',
    `${file.folder} may not import ${other} (it may import: ${allowed.join(', ') || 'nothing'})`,
  ];
}

function topFileProblem(path: string, target: Target): Problem {
  if (target.file === null) return null;
  const other = folderOf(target.file);
  if (other === null || isTest(target.file)) return notShipped(target);
  return isAdapter(other) && path !== COMPOSE ? ['adapter-import', `only ${COMPOSE} may import ${other}`] : null;
}

function notShipped({ specifier }: Target): Problem {
  return ['not-shipped', `${specifier} is not part of the published package`];
}

const isAdapter = (folder: string): boolean => folder.startsWith('adapters/');

function plannedFolder(name: string): Folder | null {
  if (isAdapter(name)) return ADAPTER;
  return Object.hasOwn(FOLDERS, name) ? (FOLDERS[name] ?? null) : null;
}
