import type { CompileSchema } from '../kernel/verify/tool-table.ts';
import type { Hash } from '../model/hash.ts';
import type { Archive } from '../ports/archive.ts';
import type { Clock } from '../ports/clock.ts';
import type { ThisProcess } from '../ports/drivers.ts';
import type { Ids } from '../ports/ids.ts';
import type { Journal } from '../ports/journal.ts';
import type { Models } from '../ports/language-model.ts';
import type { Signatures } from '../ports/signatures.ts';
import type { Timer } from '../ports/timer.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';

/** What a machine and its libraries bring along. Only the composition root knows which they are. */
export interface Machine {
  readonly hash: Hash;
  /** One for each set of schemas that may refer to each other. */
  readonly schemas: () => CompileSchema;
  readonly signatures: Signatures;
  readonly models: Models;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly process: ThisProcess;
  readonly files: WorkspaceFiles;
  /** How a run becomes one file. */
  readonly archive: Archive;
  /** Opens what the option `store` names. */
  readonly openStore: (store: string) => Journal;
}
