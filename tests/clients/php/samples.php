<?php

/** Runs each program that the test names, without its output. */

declare(strict_types=1);

require __DIR__ . '/loading.php';

['folder' => $folder, 'token' => $token, 'programs' => $programs] = input();
chdir($folder);
putenv("LOOTKEEP_TOKEN={$token}");
ob_start();
foreach ($programs as $program) {
    (static function () use ($program): void {
        require $program;
    })();
}
ob_end_clean();
output(count($programs));
