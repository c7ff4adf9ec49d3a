/** A rollback loses its process right after a compensation has run. */
import { testUndoCrashes } from './undo-crashes.ts';

testUndoCrashes([['after_call', 1]]);
