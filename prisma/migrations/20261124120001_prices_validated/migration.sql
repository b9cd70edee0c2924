-- Reads the tables without stopping writers.
ALTER TABLE "hold" VALIDATE CONSTRAINT "hold_price";
ALTER TABLE "task" VALIDATE CONSTRAINT "task_price", VALIDATE CONSTRAINT "task_bill";
ALTER TABLE "task_try" VALIDATE CONSTRAINT "task_try_cost_source";
ALTER TABLE "exposure" VALIDATE CONSTRAINT "exposure_cost";
