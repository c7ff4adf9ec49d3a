import { z } from 'zod';
import { exact } from '../../json/exact.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';

/** The calls that read and the calls that write. Every other call needs approval. */
export type FileOperation =
  | 'read'
  | 'write'
  | { readonly at: string; readonly read: readonly string[]; readonly write: readonly string[] };
const FileOperation: z.ZodType<FileOperation> = exact(
  z.union([
    z.enum(['read', 'write']),
    z.strictObject({ at: Pointer, read: z.array(Statement), write: z.array(Statement) }),
  ]),
);

/** The paths a file-system tool may use, and how its writes are verified. */
export interface FileSystemRules {
  /** The workspace: an absolute path. */
  readonly root: string;
  /** Permitted folders, relative to the root; `.` permits all of it. */
  readonly allow: readonly string[];
  /** Folders on another machine, relative to the root. Writes there need approval. */
  readonly remote?: readonly string[];
  /** The arguments that hold paths. */
  readonly paths: readonly string[];
  /** A write with more paths than this needs approval, as does one with a glob pattern or an entire folder. */
  readonly paths_max?: number;
  readonly operation: FileOperation;
  /** The argument with the content to write. The approver sees it as a diff against the current file. */
  readonly content?: string;
  /** Pointer into the answer: the SHA-256 of the file after the write, in lower-case hex. */
  readonly written_hash?: string;
}
export const FileSystemRules: z.ZodType<FileSystemRules> = exact(
  z
    .strictObject({
      root: z.string().regex(/^\//, 'must be an absolute path'),
      allow: z.array(Statement).min(1, 'must name a folder, or "." for the whole workspace'),
      remote: z.array(Statement).exactOptional(),
      paths: z.array(Pointer).min(1, 'must name the arguments that hold paths'),
      paths_max: z.int().positive().exactOptional(),
      operation: FileOperation,
      content: Pointer.exactOptional(),
      written_hash: Pointer.exactOptional(),
    })
    .refine(({ content, written_hash }) => (content === undefined) === (written_hash === undefined), {
      message: 'content and written_hash belong together: what is written has to be looked at afterwards',
    }),
);
