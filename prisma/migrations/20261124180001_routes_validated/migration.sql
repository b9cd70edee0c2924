-- Reads the rows that were there, and lets everybody write meanwhile.
ALTER TABLE "task" VALIDATE CONSTRAINT "task_step";
ALTER TABLE "task_try" VALIDATE CONSTRAINT "task_try_number";
ALTER TABLE "task_try" VALIDATE CONSTRAINT "task_try_left";
