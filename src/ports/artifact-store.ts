import type { Artifact } from '../model/artifact.ts';

/** Keeps texts under their addresses, apart from the journal: whoever reads one needs nothing else. */
export interface ArtifactStore {
  /** The same text may be put again. */
  put(artifactId: string, text: string): Promise<void>;
  /** Null where there is none. */
  get(artifactId: string): Promise<string | null>;
}

export interface ArtifactTools {
  readonly inFolder: (folder: string) => ArtifactStore;
  /** Holds a text to its address and to the schema of its kind. */
  readonly read: (text: string) => Artifact;
}
