import type { JsonObject } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import type { FileSystemRules } from '../../model/tool/rules/file-system.ts';
import { textsAt } from '../../model/tool/rules/operation.ts';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { type CategoryCheck, type CategoryFinding, denied, FREE, gated, incomplete } from './finding.ts';

/** Every path is resolved, and every file that a gate shows is read. */
const PATHS_MAX = 1_000;

type FileAct = 'read' | 'write' | 'other';

/** Checks that every path, with links resolved, is inside the workspace. A broad or remote write needs approval. */
export function fileSystemCheck(files: WorkspaceFiles): CategoryCheck<FileSystemRules> {
  return (rules, { args }) => {
    const paths: string[] = [];
    for (const pointer of rules.paths) {
      if (jsonAt(args, pointer) === undefined) continue;
      const found = textsAt(args, pointer);
      if (found === null) return incomplete(`what stands at ${pointer} is no path`);
      paths.push(...found);
    }
    if (paths.length === 0) return incomplete(`the call names no path at ${rules.paths.join(', ')}`);
    if (paths.length > PATHS_MAX) return denied(`the call names more than ${PATHS_MAX} paths: name their folder`);
    for (const path of paths) {
      const why = whyUnsafe(path) ?? whyOutside(files, rules, path);
      if (why !== null) return denied(`the path ${JSON.stringify(path)} is refused: ${why}`);
    }
    return ruleOnOperation(files, rules, args, paths);
  };
}

function whyOutside(files: WorkspaceFiles, { root, allow }: FileSystemRules, path: string): string | null {
  const real = files.realPath(below(root, path));
  if (real === null) return 'its target cannot be resolved';
  if (files.isSpecial(real)) return 'it is a device, a pipe or a socket';
  const folders = allow.map((folder) => files.realPath(below(root, folder)));
  const home = files.home(root);
  if (home === null) return 'the workspace does not exist, or its root was replaced by another folder';
  if (!isWithin(real, home)) return 'it leads out of the workspace';
  const isAllowed = folders.some((folder) => folder !== null && isWithin(folder, home) && isWithin(real, folder));
  if (!isAllowed) return 'it is in no folder that is permitted';
  return files.hasOtherNames(real) ? 'the file has another name, which may be outside of the workspace' : null;
}

function ruleOnOperation(
  files: WorkspaceFiles,
  rules: FileSystemRules,
  args: JsonObject,
  paths: readonly string[],
): CategoryFinding {
  const act = readOperation(rules, args);
  if (act === 'read') return FREE;
  // Only a gate needs the preview, which reads the files.
  const gatedBy = (why: string): CategoryFinding => gated(why, previewOf(files, rules, args, paths));
  if (act === 'other') return gatedBy('it does something else than read and write');
  const { root, remote = [], paths_max = 1 } = rules;
  // A folder includes everything in it, so writing to one counts as broad.
  const isBroad = (path: string): boolean => isPattern(path) || files.isFolder(below(root, path));
  if (paths.some(isBroad) || paths.length > paths_max) return gatedBy('it reaches many files');
  const real = paths.map((path) => files.realPath(below(root, path)) ?? root);
  const shared = remote.map((folder) => files.realPath(below(root, folder)) ?? below(root, folder));
  const isRemote = real.some((path) => shared.some((folder) => isWithin(path, folder)));
  return isRemote ? gatedBy('it writes to another machine') : FREE;
}

function readOperation({ operation }: FileSystemRules, args: JsonObject): FileAct {
  if (typeof operation === 'string') return operation;
  const value = jsonAt(args, operation.at);
  if (typeof value !== 'string') return 'other';
  if (operation.read.includes(value)) return 'read';
  return operation.write.includes(value) ? 'write' : 'other';
}

/**
 * The diff that the approver sees. It includes the digest of every file, because a truncated diff would look the same
 * if another part of the file had changed meanwhile.
 */
function previewOf(
  files: WorkspaceFiles,
  { root, content }: FileSystemRules,
  args: JsonObject,
  paths: readonly string[],
): JsonObject {
  const text = content === undefined ? undefined : jsonAt(args, content);
  const before = paths.map((path) => files.digest(below(root, path)));
  const [path] = paths;
  if (typeof text !== 'string' || path === undefined || paths.length > 1) return { paths, before };
  return { paths, before, diff: lineDiff(files.text(below(root, path)), text) };
}

/** Control, bidirectional, zero-width, private-use and unassigned characters. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Percent-encoded dots, slashes and nulls, which another program may decode. */
const ENCODED = /%(2e|2f|5c|00|25)/i;

/** Returns why a path is unsafe, or null. Anything that two programs may interpret differently is refused. */
function whyUnsafe(path: string): string | null {
  if (path === '') return 'it is empty';
  if (HIDDEN.test(path)) return 'it holds characters that cannot be seen';
  if (path.normalize('NFKC') !== path) return 'it holds characters that look like others';
  if (path.startsWith('/') || path.startsWith('~')) return 'it is not relative to the workspace';
  if (/[\\:]/.test(path)) return 'it holds a backslash or a colon';
  if (ENCODED.test(path)) return 'it holds encoded characters';
  const segments = path.split('/');
  if (segments.some((segment) => /^\.\.[. ]*$|^[. ]+\.$/.test(segment))) return 'it leads out of the workspace';
  if (segments.some((segment) => segment === '' || /^ | $/.test(segment))) return 'it has an empty part';
  return null;
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** Removes `.` segments: `./a/.` becomes `a`, and `./.` becomes `.`. */
const plain = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '.')
    .join('/') || '.';

/** Joins a root and a relative path. */
function below(root: string, path: string): string {
  const plainPath = plain(path);
  return plainPath === '.' ? root : `${root.replace(/(?<!\/)\/+$/, '')}/${plainPath}`;
}

/** Whether a path is a glob pattern, which may match any number of files. */
const isPattern = (path: string): boolean => /[*?[\]{}]/.test(path);

/** The number of diff lines shown; the complete text is in the arguments. */
const SHOWN_MAX = 200;

/** A line diff without the common lines at both ends. */
function lineDiff(before: string | null, after: string): readonly string[] {
  const old = before === null ? [] : before.split('\n');
  const fresh = after.split('\n');
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end += 1;
  }
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
  ];
  if (lines.length === 0) return [];
  const shown = [`@@ line ${start + 1} @@`, ...lines.slice(0, SHOWN_MAX)];
  return lines.length > SHOWN_MAX ? [...shown, `… and ${lines.length - SHOWN_MAX} lines more`] : shown;
}
