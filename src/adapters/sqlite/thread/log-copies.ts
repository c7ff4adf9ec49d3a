import type { Append } from '../../../ports/journal.ts';
import type { ConnectionHolder } from '../connection.ts';

/** About a thousand pages of log: a few milliseconds of copying, in which whoever was answered goes on. */
const TEXT_BETWEEN_COPIES = 1_500_000;

/**
 * Copies the log back into the file between two groups. SQLite does it inside a commit, once there is enough of it, and
 * then everybody of that group waits for the copying as well: that stays for whoever has no moment in between.
 */
export function logCopies(holder: ConnectionHolder): (stored: readonly Append[]) => void {
  let text = 0;
  return (stored) => {
    for (const { frame, blobs } of stored) {
      text += frame.events.length;
      for (const blob of blobs) text += blob.text.length;
    }
    if (text < TEXT_BETWEEN_COPIES) return;
    text = 0;
    try {
      holder.current()?.db.exec('pragma wal_checkpoint(passive)');
    } catch {
      // Nothing is lost that is in the log, and what hinders copying it is said by the next commit that needs the room.
    }
  };
}
