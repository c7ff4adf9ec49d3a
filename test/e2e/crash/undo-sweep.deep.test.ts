/** A rollback loses its process at every moment between the intent of a compensation and the record of its answer. */
import { testUndoCrashes } from './undo-crashes.ts';

// The commit of the cancel holds the first intent; the second commit holds its answer and the next intent.
testUndoCrashes([
  ['after_commit', 1],
  ['after_call', 1],
  ['before_commit', 2],
  ['after_call', 2],
]);
