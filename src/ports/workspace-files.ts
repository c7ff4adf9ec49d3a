/** The file system as a check may see it: where a path really leads, and what is there before it is overwritten. */
export interface WorkspaceFiles {
  /** The path with every link followed, also for what does not exist yet; null where that cannot be told. */
  realPath(path: string): string | null;
  /** Whether a folder is there, links followed. */
  isFolder(path: string): boolean;
  /** What is in the file; null where there is none that can be shown. */
  text(path: string): string | null;
  /** The content address of the whole file, however large it is; null where there is none. */
  digest(path: string): string | null;
}
