import { z } from 'zod';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';

/** Which calls read, which write, and, because nothing else says so, that all others are for a person to see. */
export type FileOperation =
  | 'read'
  | 'write'
  | { readonly at: string; readonly read: readonly string[]; readonly write: readonly string[] };
const FileOperation: z.ZodType<FileOperation> = z.union([
  z.enum(['read', 'write']),
  z.strictObject({ at: Pointer, read: z.array(Statement), write: z.array(Statement) }),
]);

/** Where a tool may go in the file system, and how what it wrote is looked at. */
export interface FileSystemRules {
  /** The workspace: an absolute path. */
  readonly root: string;
  /** Folders below it, relative; `.` is all of it. */
  readonly allow: readonly string[];
  /** Folders below it that lie on another machine: whoever writes there is asked about. */
  readonly remote?: readonly string[];
  /** The arguments that hold paths. */
  readonly paths: readonly string[];
  /** More paths than this in one writing call are for a person to see, and so are patterns and whole folders. */
  readonly paths_max?: number;
  readonly operation: FileOperation;
  /** The argument that holds what a write writes: shown as a difference to what is there. */
  readonly content?: string;
  /** Where the answer says which SHA-256, in lower-case hex, the file has now. */
  readonly written_hash?: string;
}
export const FileSystemRules: z.ZodType<FileSystemRules> = z
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
  });
