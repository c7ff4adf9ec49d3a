import { scanProject } from './resolve.ts';
import { checkCycles } from './rules/cycles.ts';
import { checkDoubleNames } from './rules/double-names.ts';
import { checkFolderImports } from './rules/folder-imports.ts';
import { checkFolderSize, checkUniformFolders } from './rules/folder-size.ts';
import { checkFunctionLines } from './rules/function-lines.ts';
import { checkKernelEntry, checkKernelOrder } from './rules/kernel.ts';
import { checkPackages } from './rules/packages.ts';
import { checkPrivateWords } from './rules/private-words.ts';
import { checkPurity } from './rules/purity.ts';
import { checkShape } from './rules/shape.ts';
import { checkSize } from './rules/size.ts';
import { checkTests } from './rules/tests.ts';
import type { Project, Violation } from './violation.ts';

/** Checks every rule. */
export function checkProject(project: Project): readonly Violation[] {
  const files = scanProject(project);
  return [
    ...files.flatMap(checkShape),
    ...files.flatMap(checkFolderImports),
    ...files.flatMap((file) => checkPackages(file, project.packages)),
    ...files.flatMap(checkPurity),
    ...files.flatMap(checkTests),
    ...files.flatMap(checkKernelOrder),
    ...files.flatMap(checkFunctionLines),
    ...checkKernelEntry(files),
    ...checkCycles(files),
    ...checkSize(files),
    ...checkFolderSize(files),
    ...checkUniformFolders(files),
    ...checkPrivateWords(files),
    ...checkDoubleNames(files),
  ];
}
