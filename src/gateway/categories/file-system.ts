import type { JsonObject } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import type { FileSystemRules } from '../../model/rules/file-system.ts';
import { textsAt } from '../../model/rules/operation.ts';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { type CategoryCheck, denied, type Finding, FREE, gated, incomplete } from './finding.ts';
import { lineDiff } from './line-diff.ts';
import { below, isPattern, isWithin, whyUnsafe } from './paths.ts';

type FileAct = 'read' | 'write' | 'other';

/** Every path inside the workspace, links followed. Reading is free there; so is a write that is local and narrow. */
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
    for (const path of paths) {
      const why = whyUnsafe(path) ?? whyAstray(files, rules, path);
      if (why !== null) return denied(`the path ${JSON.stringify(path)} is refused: ${why}`);
    }
    return ruleOnAct(files, rules, args, paths);
  };
}

function whyAstray(files: WorkspaceFiles, { root, allow }: FileSystemRules, path: string): string | null {
  const real = files.realPath(below(root, path));
  if (real === null) return 'nobody can tell where it leads';
  const folders = allow.map((folder) => files.realPath(below(root, folder)));
  const home = files.realPath(root);
  if (home === null || !isWithin(real, home)) return 'it leads out of the workspace';
  if (folders.some((folder) => folder !== null && isWithin(folder, home) && isWithin(real, folder))) return null;
  return 'it is in no folder that is permitted';
}

function ruleOnAct(files: WorkspaceFiles, rules: FileSystemRules, args: JsonObject, paths: readonly string[]): Finding {
  const act = actOf(rules, args);
  if (act === 'read') return FREE;
  const preview = previewOf(files, rules, args, paths);
  if (act === 'other') return gated('it does something else than read and write', preview);
  const { root, remote = [], paths_max = 1 } = rules;
  // A folder is all that is in it, by whatever name it is reached.
  const isBroad = (path: string): boolean => isPattern(path) || files.isFolder(below(root, path));
  if (paths.some(isBroad) || paths.length > paths_max) return gated('it reaches many files', preview);
  const real = paths.map((path) => files.realPath(below(root, path)) ?? root);
  const shared = remote.map((folder) => files.realPath(below(root, folder)) ?? below(root, folder));
  const isRemote = real.some((path) => shared.some((folder) => isWithin(path, folder)));
  return isRemote ? gated('it writes to another machine', preview) : FREE;
}

function actOf({ operation }: FileSystemRules, args: JsonObject): FileAct {
  if (typeof operation === 'string') return operation;
  const said = jsonAt(args, operation.at);
  if (typeof said !== 'string') return 'other';
  if (operation.read.includes(said)) return 'read';
  return operation.write.includes(said) ? 'write' : 'other';
}

/**
 * What would be different afterwards, for whoever decides about it. The address of every whole file goes with it: what is
 * shown of a long difference, or of several files, would look the same if something else in them had changed meanwhile.
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
