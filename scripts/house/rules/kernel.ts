import { KERNEL_ENTRY, KERNEL_ORDER } from '../plan.ts';
import { isShipped, isTest, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

const KERNEL = 'src/kernel/';
const isKernel = (path: string): boolean => path.startsWith(KERNEL);

/** An import of a kernel file by a file of another folder. */
export interface KernelImport {
  readonly path: string;
  readonly line: number;
  readonly target: string;
}

/** The imports of kernel files by other folders of `src/`, types included. Tests may import every kernel file. */
export function kernelImports(files: readonly SourceFile[]): readonly KernelImport[] {
  return files
    .filter((file) => isShipped(file) && !isKernel(file.path))
    .flatMap(({ path, targets }) =>
      targets.flatMap(({ file, line }) => (file !== null && isKernel(file) ? [{ path, line, target: file }] : [])),
    );
}

/** Other folders import the kernel through its entry. */
export function checkKernelEntry(files: readonly SourceFile[]): readonly Violation[] {
  return kernelImports(files)
    .filter(({ target }) => target !== KERNEL_ENTRY)
    .map(({ path, line, target }) => ({
      rule: 'kernel-entry',
      path,
      line,
      message: `import ${KERNEL_ENTRY} instead of ${target}`,
    }));
}

/** Every kernel file lies in a folder of KERNEL_ORDER and imports only its own folder and those to its left. */
export function checkKernelOrder({ path, targets }: SourceFile): readonly Violation[] {
  if (!isKernel(path) || isTest(path) || path === KERNEL_ENTRY) return [];
  const own = rankOf(path);
  const violation = (line: number, message: string): Violation => ({ rule: 'kernel-order', path, line, message });
  if (own === -1) return [violation(1, `move it into a folder of the kernel: ${KERNEL_ORDER.join(', ')}`)];
  return targets.flatMap(({ file, line }) => {
    if (file === null || !isKernel(file)) return [];
    if (file === KERNEL_ENTRY) return [violation(line, 'the kernel does not import its own entry')];
    return rankOf(file) > own
      ? [violation(line, `${KERNEL_ORDER[own]} may not import ${KERNEL_ORDER[rankOf(file)]}`)]
      : [];
  });
}

/** The position of a file's folder in KERNEL_ORDER, or -1. */
function rankOf(path: string): number {
  return KERNEL_ORDER.indexOf(path.slice(KERNEL.length).split('/')[0] ?? '');
}
