ALTER TABLE `connections` ADD `cleans_titles` integer;--> statement-breakpoint
ALTER TABLE `privacy` ADD `cleans_titles` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `privacy` ADD `phrases` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `songs` ADD `given_title` text;--> statement-breakpoint
ALTER TABLE `songs` ADD `given_artists` text;