CREATE TABLE `found_covers` (
	`song` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`cover` text,
	`searched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `found_covers_searched` ON `found_covers` (`searched_at`);--> statement-breakpoint
ALTER TABLE `privacy` ADD `searches_covers` integer DEFAULT false NOT NULL;