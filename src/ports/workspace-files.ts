/** The file system as a check may see it: the real location of a path, and the content before it is overwritten. */
export interface WorkspaceFiles {
  /** The path with all links resolved, also if it does not exist yet; null if that fails. */
  realPath(path: string): string | null;
  /**
   * The real path of the root of a workspace; null if it does not exist, or is another folder than the one that it was
   * when it was first asked for.
   */
  home(root: string): string | null;
  /** Whether the path is an existing folder, with links resolved. */
  isFolder(path: string): boolean;
  /** The text of a file; null if there is no file or it cannot be shown. */
  text(path: string): string | null;
  /** Whether the path is a device, a pipe or a socket. Opening one may wait for ever or have an effect. */
  isSpecial(path: string): boolean;
  /** Identifies the state of a file of any size, in a bounded time; null if there is no file. */
  digest(path: string): string | null;
  /** Whether a file has another name, in the workspace or elsewhere (a hard link). */
  hasOtherNames(path: string): boolean;
  /** The files of a workspace, for the code of a tool. */
  within(workspace: WorkspaceFolders): FileAccess;
}

/** A workspace and its permitted folders, as the rules of a tool name them. */
export interface WorkspaceFolders {
  readonly root: string;
  readonly allow: readonly string[];
}

/**
 * Reads and writes files of a workspace. A path is relative to it. A link, a file with another name and a folder that
 * was swapped after the call was checked are `permission_denied`, before the first byte is read or written.
 */
export interface FileAccess {
  read(path: string): Promise<Uint8Array>;
  /** Replaces the content of a file. Creates the file and its folders if they do not exist. */
  write(path: string, content: string | Uint8Array): Promise<void>;
}

/** A working note of a model. It never counts as a reason or as evidence. */
export interface Note {
  readonly id: string;
  readonly text: string;
}

/** A model's working notes for the current step. They are discarded with the step. */
export interface Scratchpad {
  /** Stores a note and returns its id. */
  note(text: string): string;
  notes(): readonly Note[];
}
